// The Snowflake generator: one atomic word, the tick (timestamp and sequence as one integer), that only grows.
// Time is an argument, so that nothing here reads a clock, waits or does I/O.
#pragma once

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <atomic>
#include <cstdint>

namespace frond {

// A run of ticks taken in one atomic step: first, first + 1, … first + count - 1.
struct TickRun {
    std::uint64_t first;
    std::uint64_t count;
};

// Issues ticks for one worker ID. Thread-safe and lock-free throughout; neither copied nor moved.
//
// next = max(tick + 1, now << sequence_bits | low): a clock that steps back changes nothing but how far the ticks
// run ahead of it, so a rollback cannot repeat an ID. `low` goes on from the last ID instead of starting at 0 each
// millisecond; see first_tick_at().
//
// One worker ID and layout belongs to one open generator of the process: a second would repeat its IDs. So would one
// that fork() copied, which is therefore closed in the child, at no cost for takers. (A child made by other means, such
// as clone() or _Fork(), must not use it.)
//
// Two bounds, both inclusive and in ms since the Unix epoch: the limit, set from outside (a fence, a watermark), and
// now + max_ahead. A run that would cross one is refused whole.
class SnowflakeGenerator {
public:
    struct Options {
        SnowflakeLayout layout;
        std::int64_t worker_id = 0;         // 0 to layout.max_worker_id()
        std::int64_t max_ahead_ms = 1000;   // how far ticks may run ahead of the clock
        std::int64_t floor_ms = INT64_MIN;  // nothing at or below this ms is ever issued
        std::int64_t limit_ms = INT64_MAX;  // see raise_limit()
    };

    // Throws std::invalid_argument for a worker ID outside its field and a negative max_ahead_ms, which callers have
    // validated, and while another generator with this worker ID and layout is open in this process; std::system_error
    // when the system has no memory left to watch fork().
    explicit SnowflakeGenerator(const Options& options);
    // As close(); no other call may be under way.
    ~SnowflakeGenerator();
    SnowflakeGenerator(const SnowflakeGenerator&) = delete;
    SnowflakeGenerator& operator=(const SnowflakeGenerator&) = delete;

    // Takes `count` (1 to max_take()) ticks at time now_ms, in one atomic step. Errors:
    //   clock_rollback        the ticks already run ahead of now by more than max_ahead, or now is before the epoch
    //   snowflake_overloaded  this run would cross now + max_ahead
    //   limit_reached         this run would cross the limit
    //   timestamp_exhausted   this run would leave the timestamp field
    //   lease_lost            close() was called, or this is a copy in a child made by fork()
    //   invalid_count         count is 0 or over max_take()
    [[nodiscard]] Result<TickRun> take(std::int64_t now_ms, std::uint64_t count = 1);

    // Largest run that may ever succeed: what fits into max_ahead + 1 ms.
    [[nodiscard]] std::uint64_t max_take() const noexcept;

    // The earliest clock time at which a run of `count` could pass the lead, in ms since the Unix epoch. A hint for
    // waiting, not a promise.
    [[nodiscard]] std::int64_t ready_at_ms(std::uint64_t count) const noexcept;

    // Raises the limit; a lower value than the present one changes nothing. Safe against concurrent takers: whoever
    // saw the old limit only issued less.
    void raise_limit(std::int64_t limit_ms) noexcept;

    // Excludes every later taker, also one that has already looked: the same word holds tick and closed mark. Another
    // generator may have this worker ID from then on. One atomic step, fit for signal handlers.
    // Returns the highest timestamp ever issued, in ms since the Unix epoch, or the floor if nothing was.
    std::int64_t close() noexcept;

    [[nodiscard]] bool closed() const noexcept;
    [[nodiscard]] std::int64_t limit_ms() const noexcept { return limit_ms_.load(std::memory_order_relaxed); }
    // Highest timestamp issued so far (or the floor), in ms since the Unix epoch.
    [[nodiscard]] std::int64_t last_timestamp_ms() const noexcept;
    [[nodiscard]] std::int64_t worker_id() const noexcept { return worker_id_; }
    [[nodiscard]] const SnowflakeLayout& layout() const noexcept { return layout_; }

    // The ID of one tick of a run.
    [[nodiscard]] std::int64_t id(std::uint64_t tick) const noexcept { return layout_.id_of_tick(tick, worker_id_); }

private:
    friend class OpenGenerators;  // the list of all, in src/id

    static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63;

    [[nodiscard]] std::uint64_t first_tick_at(std::uint64_t now, std::uint64_t next) const noexcept;
    [[nodiscard]] std::int64_t timestamp_of(std::uint64_t tick) const noexcept;
    [[nodiscard]] bool within(std::uint64_t end, std::int64_t bound_ms) const noexcept;
    [[nodiscard]] Error lost() const;
    [[nodiscard]] Error refusal(std::uint64_t next, std::uint64_t end, std::int64_t now_ms, std::int64_t limit) const;

    const SnowflakeLayout layout_;
    const std::int64_t worker_id_;
    const std::int64_t max_ahead_ms_;
    const std::int64_t floor_ms_;
    std::atomic<std::int64_t> limit_ms_;
    alignas(64) std::atomic<std::uint64_t> tick_;  // closed_bit, and one more than the last tick issued

    // Written by OpenGenerators alone, under its lock.
    SnowflakeGenerator* previous_ = nullptr;
    SnowflakeGenerator* next_ = nullptr;
    bool copied_ = false;  // by fork(), into this process
};

}  // namespace frond
