#include <frond/snowflake_generator.hpp>

#include "id/open_generators.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace frond {
namespace {

// a + b without overflow, saturating.
constexpr std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) return a < 0 ? INT64_MIN : INT64_MAX;
    return result;
}

Error field_full() { return {errc::timestamp_exhausted, "the timestamp field of the layout is full"}; }

// The tick after the floor: the first that may be issued. At most `highest`.
std::uint64_t tick_above(std::int64_t floor_ms, const SnowflakeLayout& layout, std::uint64_t highest) {
    if (floor_ms < layout.epoch_ms()) return 0;
    const std::int64_t floor = std::min(floor_ms, layout.last_timestamp_ms());
    const std::uint64_t above = static_cast<std::uint64_t>(floor) - static_cast<std::uint64_t>(layout.epoch_ms()) + 1;
    return std::min(above << layout.sequence_bits(), highest);
}

}  // namespace

SnowflakeGenerator::SnowflakeGenerator(const Options& options)
    : layout_(options.layout),
      worker_id_(options.worker_id),
      max_ahead_ms_(options.max_ahead_ms),
      floor_ms_(options.floor_ms),
      limit_ms_(options.limit_ms),
      tick_(tick_above(options.floor_ms, options.layout, closed_bit - 1)) {
    if (worker_id_ < 0 || worker_id_ > layout_.max_worker_id()) {
        throw std::invalid_argument("worker ID " + std::to_string(worker_id_) + " is outside 0 to " +
                                    std::to_string(layout_.max_worker_id()));
    }
    if (max_ahead_ms_ < 0) throw std::invalid_argument("max_ahead is negative");
    OpenGenerators::add(*this);
}

SnowflakeGenerator::~SnowflakeGenerator() { OpenGenerators::remove(*this); }

std::uint64_t SnowflakeGenerator::first_tick_at(std::uint64_t now, std::uint64_t next) const noexcept {
    const int bits = layout_.sequence_bits();
    if (next > now << bits) return next;

    const auto mask = static_cast<std::uint64_t>(layout_.max_sequence());
    std::uint64_t low = next & mask;
    if (bits >= 8 && next > 0) {
        // Going on with the sequence alone keeps IDs even over the powers of two, but at a regular pace the timestamp
        // would favour some residues of 3, 5 and 10. Steps of 16 leave id % 16 alone and move id % 15 by one, so with
        // at most 14 of them the ID goes on from the last one in both. 240 is a multiple of either: what overflows
        // begins anew at the bottom.
        const auto last = static_cast<std::uint64_t>(id(next - 1));
        const auto plain = static_cast<std::uint64_t>(id(now << bits | low));
        low += (last % 15 + 16 - plain % 15) % 15 * 16;
        if (low > mask) low %= 240;
    }
    return now << bits | low;
}

Result<TickRun> SnowflakeGenerator::take(std::int64_t now_ms, std::uint64_t count) {
    if (count < 1 || count > max_take()) return Error(errc::invalid_count, "at most " + std::to_string(max_take()));

    std::uint64_t next = tick_.load(std::memory_order_relaxed);
    if ((next & closed_bit) != 0) return lost();
    if (now_ms < layout_.epoch_ms()) return Error(errc::clock_rollback, "the clock is before the epoch of the layout");
    if (now_ms > layout_.last_timestamp_ms()) return field_full();
    const auto now = static_cast<std::uint64_t>(now_ms) - static_cast<std::uint64_t>(layout_.epoch_ms());
    // A limit read too early only refuses more: limits grow.
    const std::int64_t limit = limit_ms();
    const std::int64_t bound_ms = std::min({sum(now_ms, max_ahead_ms_), limit, layout_.last_timestamp_ms()});
    for (;;) {
        if ((next & closed_bit) != 0) return lost();
        std::uint64_t first = first_tick_at(now, next);
        if (!within(first + count, bound_ms)) {
            // An even spread must not starve a large run: from the bottom of the millisecond it may fit.
            first = std::max(next, now << layout_.sequence_bits());
        }
        const std::uint64_t end = first + count;
        if (!within(end, bound_ms)) return refusal(next, end, now_ms, limit);
        if (tick_.compare_exchange_weak(next, end, std::memory_order_relaxed)) return TickRun{first, count};
    }
}

// `end` must stay below the closed mark, which costs a 63-bit tick its very last value.
bool SnowflakeGenerator::within(std::uint64_t end, std::int64_t bound_ms) const noexcept {
    return end < closed_bit && timestamp_of(end - 1) <= bound_ms;
}

Error SnowflakeGenerator::lost() const {
    if (!copied_) return errc::lease_lost;
    return {errc::lease_lost,
            "this generator was copied by fork(); the child needs one of its own, with another worker ID"};
}

// `limit` is the one that refused: it may have been raised since.
Error SnowflakeGenerator::refusal(std::uint64_t next, std::uint64_t end, std::int64_t now_ms,
                                  std::int64_t limit) const {
    if (end >= closed_bit || timestamp_of(end - 1) > layout_.last_timestamp_ms()) return field_full();
    // A tick was issued only within the lead of the clock that its taker saw; a later clock that sees more than the
    // lead has gone back.
    if (next > 0 && timestamp_of(next - 1) > sum(now_ms, max_ahead_ms_)) {
        return {errc::clock_rollback, "the clock is " + std::to_string(timestamp_of(next - 1) - now_ms) +
                                          " ms behind the last ID, more than the lead of " +
                                          std::to_string(max_ahead_ms_) + " ms"};
    }
    if (timestamp_of(end - 1) > limit) {
        return {errc::limit_reached, "the limit does not cover the clock"};
    }
    return {errc::snowflake_overloaded, "the IDs of the next " + std::to_string(max_ahead_ms_) + " ms are used up"};
}

std::uint64_t SnowflakeGenerator::max_take() const noexcept {
    const auto steps = static_cast<std::uint64_t>(max_ahead_ms_) + 1;
    const int bits = layout_.sequence_bits();
    if (bits > 0 && steps > (closed_bit - 1) >> bits) return closed_bit - 1;
    return steps << bits;
}

std::int64_t SnowflakeGenerator::ready_at_ms(std::uint64_t count) const noexcept {
    const std::uint64_t next = tick_.load(std::memory_order_relaxed) & ~closed_bit;
    const std::uint64_t last = count == 0 || next > closed_bit - count ? closed_bit - 1 : next + count - 1;
    return sum(timestamp_of(last), -max_ahead_ms_);
}

void SnowflakeGenerator::raise_limit(std::int64_t limit_ms) noexcept {
    std::int64_t seen = limit_ms_.load(std::memory_order_relaxed);
    while (seen < limit_ms && !limit_ms_.compare_exchange_weak(seen, limit_ms, std::memory_order_relaxed)) {
    }
}

std::int64_t SnowflakeGenerator::close() noexcept {
    tick_.fetch_or(closed_bit, std::memory_order_acq_rel);
    return last_timestamp_ms();
}

bool SnowflakeGenerator::closed() const noexcept { return (tick_.load(std::memory_order_relaxed) & closed_bit) != 0; }

std::int64_t SnowflakeGenerator::last_timestamp_ms() const noexcept {
    const std::uint64_t next = tick_.load(std::memory_order_relaxed) & ~closed_bit;
    return std::max(floor_ms_, next == 0 ? layout_.epoch_ms() - 1 : timestamp_of(next - 1));
}

std::int64_t SnowflakeGenerator::timestamp_of(std::uint64_t tick) const noexcept {
    return sum(static_cast<std::int64_t>(tick >> layout_.sequence_bits()), layout_.epoch_ms());
}

}  // namespace frond
