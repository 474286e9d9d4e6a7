#include "base/clock.hpp"

#include <ctime>

namespace frond {

BootClock::time_point BootClock::now() noexcept {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

WallTime SystemClock::wall() const noexcept {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady() const noexcept { return BootClock::now(); }

}  // namespace frond
