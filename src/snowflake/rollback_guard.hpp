// on_clock_rollback = "reject": IDs stop while the wall clock is behind a time at which IDs were already made.
#pragma once

#include "base/clock.hpp"
#include "snowflake/disciplined_clock.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace frond::snowflake {

// Time here is the wall clock, but never ahead of the disciplined clock: a jump ahead is not followed, so that the way
// back from it is no rollback. Costs one more reading of a clock for each take. Thread-safe; times in ms since the Unix
// epoch. The clocks outlive it.
class RollbackGuard {
public:
    // Leaf waits for a clock that is at most this far behind.
    static constexpr std::int64_t patience_ms = 5;

    RollbackGuard(const Clock& source, const DisciplinedClock& clock) noexcept : source_(source), clock_(clock) {}

    struct Reading {
        std::int64_t now_ms;
        std::int64_t behind_ms;  // 0 when IDs may be made
    };

    [[nodiscard]] std::int64_t now_ms() const noexcept { return std::min(clock_.now_ms(), unix_ms(source_.wall())); }

    // The time for a take; remembered as the highest unless it is behind.
    Reading check() noexcept {
        // Looked up before the clock is read: a lower reading then proves a step back, whatever other threads do.
        std::int64_t highest = highest_ms_.load(std::memory_order_acquire);
        const std::int64_t now = now_ms();
        if (now < highest) return {now, highest - now};
        while (highest < now && !highest_ms_.compare_exchange_weak(highest, now, std::memory_order_acq_rel)) {
        }
        return {now, 0};
    }

    // How far the clock is behind now, 0 when it is not; remembers nothing.
    [[nodiscard]] std::int64_t behind_ms() const noexcept {
        const std::int64_t highest = highest_ms_.load(std::memory_order_acquire);
        const std::int64_t now = now_ms();
        return now < highest ? highest - now : 0;
    }

private:
    const Clock& source_;
    const DisciplinedClock& clock_;
    std::atomic<std::int64_t> highest_ms_{INT64_MIN};  // time of the latest take
};

}  // namespace frond::snowflake
