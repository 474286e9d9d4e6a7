// Clocks. Wall time (what the world calls the time; may step) and steady time (only for durations; counts suspend)
// are different types, so that one cannot be taken for the other.
#pragma once

#include <chrono>
#include <cstdint>

namespace frond {

// CLOCK_BOOTTIME: never steps, goes on while the machine sleeps.
struct BootClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept;
};

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;
using SteadyTime = BootClock::time_point;

// Milliseconds since the Unix epoch.
[[nodiscard]] constexpr std::int64_t unix_ms(WallTime time) noexcept { return time.time_since_epoch().count(); }
[[nodiscard]] constexpr WallTime wall_time(std::int64_t ms) noexcept { return WallTime(std::chrono::milliseconds(ms)); }

// Where time comes from; tests put their own in. Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual WallTime wall() const noexcept = 0;
    [[nodiscard]] virtual SteadyTime steady() const noexcept = 0;
};

// The machine's clocks.
class SystemClock final : public Clock {
public:
    [[nodiscard]] WallTime wall() const noexcept override;
    [[nodiscard]] SteadyTime steady() const noexcept override;
};

}  // namespace frond
