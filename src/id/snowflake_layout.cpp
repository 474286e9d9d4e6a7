#include <frond/snowflake_layout.hpp>

#include <algorithm>
#include <string>

namespace frond {
namespace {

constexpr int max_id_bits = 63;
constexpr std::int64_t max_epoch_distance = std::int64_t{1} << 62;

Error out_of_range(std::string_view field, std::int64_t found, std::int64_t low, std::int64_t high) {
    return {errc::invalid_configuration, std::string(field) + " is " + std::to_string(found) + ", expected " +
                                             std::to_string(low) + " to " + std::to_string(high)};
}

bool fits(std::int64_t value, std::int64_t max) { return value >= 0 && value <= max; }

// Whether `ms` is after all that an epoch and a field can name; the difference to the epoch may then not fit int64.
bool past(std::int64_t ms, const SnowflakeLayout& layout) { return ms > layout.last_timestamp_ms(); }

// a - b without overflow, saturating.
std::int64_t difference(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) return a < b ? INT64_MIN : INT64_MAX;
    return result;
}

}  // namespace

Result<SnowflakeLayout> SnowflakeLayout::make(std::int64_t epoch_ms, int timestamp_bits, int worker_bits,
                                              int sequence_bits) {
    if (epoch_ms < -max_epoch_distance || epoch_ms > max_epoch_distance) {
        return out_of_range("epoch", epoch_ms, -max_epoch_distance, max_epoch_distance);
    }
    if (timestamp_bits < 1 || timestamp_bits > max_id_bits) {
        return out_of_range("timestamp_bits", timestamp_bits, 1, max_id_bits);
    }
    if (worker_bits < 0 || worker_bits >= max_id_bits) {
        return out_of_range("worker_bits", worker_bits, 0, max_id_bits - 1);
    }
    if (sequence_bits < 0 || sequence_bits >= max_id_bits) {
        return out_of_range("sequence_bits", sequence_bits, 0, max_id_bits - 1);
    }
    const int sum = timestamp_bits + worker_bits + sequence_bits;
    if (sum > max_id_bits) {
        return Error(errc::invalid_configuration, "timestamp_bits + worker_bits + sequence_bits is " +
                                                      std::to_string(sum) + ", expected at most 63");
    }
    SnowflakeLayout layout;
    layout.epoch_ms_ = epoch_ms;
    layout.timestamp_bits_ = timestamp_bits;
    layout.worker_bits_ = worker_bits;
    layout.sequence_bits_ = sequence_bits;
    return layout;
}

std::int64_t SnowflakeLayout::last_timestamp_ms() const noexcept {
    std::int64_t last = 0;
    if (__builtin_add_overflow(epoch_ms_, max_timestamp(), &last)) return INT64_MAX;
    return last;
}

Result<std::int64_t> SnowflakeLayout::encode(const SnowflakeParts& parts) const {
    const std::int64_t since_epoch = difference(parts.timestamp_ms, epoch_ms_);
    if (past(parts.timestamp_ms, *this) || !fits(since_epoch, max_timestamp())) {
        return Error(errc::invalid_id, "timestamp does not fit the layout");
    }
    if (!fits(parts.worker_id, max_worker_id())) return Error(errc::invalid_id, "worker ID does not fit the layout");
    if (!fits(parts.sequence, max_sequence())) return Error(errc::invalid_id, "sequence does not fit the layout");
    const auto tick =
        static_cast<std::uint64_t>(since_epoch) << sequence_bits_ | static_cast<std::uint64_t>(parts.sequence);
    return id_of_tick(tick, parts.worker_id);
}

Result<SnowflakeParts> SnowflakeLayout::decode(std::int64_t id) const {
    const int low_bits = worker_bits_ + sequence_bits_;
    // The bound differs from max_timestamp() only where last_timestamp_ms() saturates.
    if (id < 0 || id >> low_bits > difference(last_timestamp_ms(), epoch_ms_)) {
        return Error(errc::invalid_id, "not an ID of this layout: it is negative or has more bits");
    }
    return SnowflakeParts{.timestamp_ms = epoch_ms_ + (id >> low_bits),
                          .worker_id = (id >> sequence_bits_) & max_worker_id(),
                          .sequence = id & max_sequence()};
}

Result<SnowflakeBounds> SnowflakeLayout::bounds(std::int64_t from_ms, std::int64_t to_ms) const {
    if (from_ms > to_ms) return Error(errc::bad_request, "the span ends before it begins");
    const std::int64_t from = std::max<std::int64_t>(difference(from_ms, epoch_ms_), 0);
    const std::int64_t to = std::min(difference(to_ms, epoch_ms_), max_timestamp());
    if (past(from_ms, *this) || from > to)
        return Error(errc::bad_request, "the span lies outside the timestamps of this layout");
    const int low_bits = worker_bits_ + sequence_bits_;
    return SnowflakeBounds{.first = from << low_bits, .last = (to << low_bits) | max_of(low_bits)};
}

}  // namespace frond
