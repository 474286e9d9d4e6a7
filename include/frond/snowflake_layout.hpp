// The layout of a Snowflake ID: which bits hold the timestamp, the worker ID and the sequence, and since when
// milliseconds are counted. After Twitter's Snowflake (2010); the default is Leaf's layout and epoch.
// Pure functions on values: thread-safe, no I/O, no allocation save for error texts.
#pragma once

#include <frond/result.hpp>

#include <cstdint>

namespace frond {

// The parts of one ID. timestamp_ms is in ms since the Unix epoch (not since the layout's).
struct SnowflakeParts {
    std::int64_t timestamp_ms;
    std::int64_t worker_id;
    std::int64_t sequence;

    bool operator==(const SnowflakeParts&) const = default;
};

// Lowest and highest ID, both inclusive.
struct SnowflakeBounds {
    std::int64_t first;
    std::int64_t last;
};

class SnowflakeLayout {
public:
    static constexpr std::int64_t leaf_epoch_ms = 1288834974657;  // 2010-11-04T01:42:54.657Z

    // Leaf's layout: 41 bits timestamp, 10 bits worker ID, 12 bits sequence.
    constexpr SnowflakeLayout() = default;

    // epoch_ms: ms since the Unix epoch, any sign, at most 2^62 away from it. timestamp_bits 1 to 63, worker_bits
    // and sequence_bits 0 to 62, together at most 63 so that IDs stay positive. Else errc::invalid_configuration,
    // naming the field.
    static Result<SnowflakeLayout> make(std::int64_t epoch_ms, int timestamp_bits, int worker_bits, int sequence_bits);

    [[nodiscard]] constexpr std::int64_t epoch_ms() const noexcept { return epoch_ms_; }
    [[nodiscard]] constexpr int timestamp_bits() const noexcept { return timestamp_bits_; }
    [[nodiscard]] constexpr int worker_bits() const noexcept { return worker_bits_; }
    [[nodiscard]] constexpr int sequence_bits() const noexcept { return sequence_bits_; }

    // Highest value of each field; max_timestamp counts ms since the layout's epoch.
    [[nodiscard]] constexpr std::int64_t max_timestamp() const noexcept { return max_of(timestamp_bits_); }
    [[nodiscard]] constexpr std::int64_t max_worker_id() const noexcept { return max_of(worker_bits_); }
    [[nodiscard]] constexpr std::int64_t max_sequence() const noexcept { return max_of(sequence_bits_); }

    // The last ms since the Unix epoch that the timestamp field can hold; saturates at the end of int64.
    [[nodiscard]] std::int64_t last_timestamp_ms() const noexcept;

    // Puts an ID together. errc::invalid_id when a part does not fit its field.
    [[nodiscard]] Result<std::int64_t> encode(const SnowflakeParts& parts) const;

    // Takes an ID apart. errc::invalid_id when the ID is negative or has bits above the layout.
    [[nodiscard]] Result<SnowflakeParts> decode(std::int64_t id) const;

    // All IDs that any worker may issue from from_ms to to_ms, both inclusive, in ms since the Unix epoch; the span
    // is cut to what the timestamp field can hold. errc::bad_request when from_ms > to_ms or nothing is left.
    [[nodiscard]] Result<SnowflakeBounds> bounds(std::int64_t from_ms, std::int64_t to_ms) const;

    // The ID of a tick (timestamp since the epoch and sequence as one integer, timestamp << sequence_bits | sequence).
    // No checks: the hot path of the generator.
    [[nodiscard]] constexpr std::int64_t id_of_tick(std::uint64_t tick, std::int64_t worker_id) const noexcept {
        const std::uint64_t sequence = tick & static_cast<std::uint64_t>(max_sequence());
        const std::uint64_t above = (tick >> sequence_bits_ << worker_bits_) | static_cast<std::uint64_t>(worker_id);
        return static_cast<std::int64_t>((above << sequence_bits_) | sequence);
    }

    bool operator==(const SnowflakeLayout&) const = default;

private:
    static constexpr std::int64_t max_of(int bits) noexcept {
        return static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    }

    std::int64_t epoch_ms_ = leaf_epoch_ms;
    int timestamp_bits_ = 41;
    int worker_bits_ = 10;
    int sequence_bits_ = 12;
};

}  // namespace frond
