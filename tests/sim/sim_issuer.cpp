#include "sim/sim_issuer.hpp"

#include "base/metrics.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace frond::sim {
namespace {

// A process may have one open generator for each worker ID, and here it stands for many processes. So the generators
// get IDs and a layout of their own, which do not change their ticks: for each thread and instance one.
SnowflakeGenerator::Options among_many(SnowflakeGenerator::Options options, int instance) {
    constexpr int bits_below_timestamp = 22;
    const int sequence_bits = options.layout.sequence_bits();
    options.layout = *SnowflakeLayout::make(options.layout.epoch_ms(), options.layout.timestamp_bits(),
                                            bits_below_timestamp - sequence_bits, sequence_bits);
    const auto unique = static_cast<std::int64_t>(thread_ordinal() * most_instances) + instance;
    options.worker_id = unique & options.layout.max_worker_id();
    return options;
}

}  // namespace

void SimIssuer::open(const SnowflakeGenerator::Options& options) {
    if (held_) throw std::logic_error("a lease was opened while one is held");
    auto altered = options;
    seam_.alter_lease(altered);
    make_generator(altered);
    trouble_.reset();
}

void SimIssuer::make_generator(const SnowflakeGenerator::Options& options) {
    leases_.push_back({options, std::make_unique<SnowflakeGenerator>(among_many(options, instance_)), 0});
    held_ = true;
}

SimIssuer::SimIssuer(const SimIssuer& original, int instance)
    : seam_(original.seam_), instance_(instance), trouble_(original.trouble_) {
    if (!original.held_) return;
    const Lease& lease = original.leases_.back();
    auto options = lease.options;
    options.floor_ms = lease.generator->last_timestamp_ms();
    options.limit_ms = lease.generator->limit_ms();
    make_generator(options);
}

void SimIssuer::raise_limit(std::int64_t limit_ms) {
    if (held_) leases_.back().generator->raise_limit(limit_ms);
}

std::optional<std::int64_t> SimIssuer::close(Error why) {
    trouble_ = std::move(why);
    if (!std::exchange(held_, false)) return std::nullopt;
    return leases_.back().generator->close();
}

std::optional<SimIssuer::Look> SimIssuer::look() const {
    if (!held_) return std::nullopt;
    return Look{leases_.size() - 1, leases_.back().next};
}

std::optional<TickRun> SimIssuer::take(const Look& look, std::int64_t now_ms, std::uint64_t count) {
    Lease& lease = leases_[look.lease];
    if (lease.generator->closed() && seam_.splits_takes()) return take_unseen_close(look, now_ms, count);
    const auto run = lease.generator->take(now_ms, count);
    if (!run) return std::nullopt;
    lease.next = run->first + run->count;
    return *run;
}

// The exchange succeeds because the tick is still the one that was seen, and the mark of the close is elsewhere.
std::optional<TickRun> SimIssuer::take_unseen_close(const Look& look, std::int64_t now_ms, std::uint64_t count) {
    Lease& lease = leases_[look.lease];
    const SnowflakeLayout& layout = lease.generator->layout();
    if (look.next != lease.next || look.next == 0) return std::nullopt;
    const auto now = static_cast<std::uint64_t>(now_ms - layout.epoch_ms());
    const std::uint64_t first = std::max(look.next, now << layout.sequence_bits());
    const std::uint64_t last_ms = (first + count - 1) >> layout.sequence_bits();
    if (static_cast<std::int64_t>(last_ms) + layout.epoch_ms() > lease.generator->limit_ms()) return std::nullopt;
    lease.next = first + count;
    return TickRun{first, count};
}

}  // namespace frond::sim
