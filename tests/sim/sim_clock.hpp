// The clocks of one machine: a wall clock that may be off and step, and a steady clock.
#pragma once

#include "base/clock.hpp"
#include "sim/event_queue.hpp"
#include "sim/scenario.hpp"

#include <cstdint>

namespace frond::sim {

// Both run at the speed of one crystal. A value.
class SimClock {
public:
    SimClock(std::int64_t offset_ms, std::int64_t drift_ppm) noexcept : offset_ms_(offset_ms), drift_ppm_(drift_ppm) {}

    [[nodiscard]] WallTime wall(Time now) const noexcept {
        return wall_time(Scenario::unix_start_ms + elapsed_us(now) / 1'000 + offset_ms_);
    }
    [[nodiscard]] SteadyTime steady(Time now) const noexcept {
        return SteadyTime(std::chrono::microseconds(elapsed_us(now) - booted_us_));
    }
    // The first time at which the steady clock shows `steady` or more.
    [[nodiscard]] Time when(SteadyTime steady) const noexcept {
        const auto us = std::chrono::ceil<std::chrono::microseconds>(steady.time_since_epoch()).count() + booted_us_;
        Time time = since_ + (us - elapsed_until_since_us_) * 1'000 / (1'000'000 + drift_ppm_);
        while (elapsed_us(time) < us) ++time;
        return time;
    }

    [[nodiscard]] std::int64_t offset_ms() const noexcept { return offset_ms_; }
    void step(std::int64_t by_ms) noexcept { offset_ms_ += by_ms; }
    // Goes on at another speed, without a step.
    void drift(Time now, std::int64_t drift_ppm) noexcept {
        elapsed_until_since_us_ = elapsed_us(now);
        since_ = now;
        drift_ppm_ = drift_ppm;
    }
    // Sets the wall clock to true time plus `offset_ms`.
    void set_right(Time now, std::int64_t offset_ms) noexcept {
        offset_ms_ = offset_ms - (elapsed_us(now) / 1'000 - now);
    }
    void reboot(Time now) noexcept { booted_us_ = elapsed_us(now) - 1'000'000; }

private:
    [[nodiscard]] std::int64_t elapsed_us(Time now) const noexcept {
        const Time passed = now - since_;
        return elapsed_until_since_us_ + passed * 1'000 + passed * drift_ppm_ / 1'000;
    }

    std::int64_t offset_ms_;
    std::int64_t drift_ppm_;  // since `since_`
    Time since_ = 0;
    std::int64_t elapsed_until_since_us_ = 0;
    std::int64_t booted_us_ = -1'000'000;
};

}  // namespace frond::sim
