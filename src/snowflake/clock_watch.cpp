#include "snowflake/clock_watch.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <utility>

namespace frond::snowflake {
namespace {

constexpr std::chrono::seconds between_lines{10};

std::string distance(std::int64_t offset_ms) {
    return fmt::format("the wall clock is {} ms {} the time of IDs", std::abs(offset_ms),
                       offset_ms < 0 ? "behind" : "ahead of");
}

// What happens next, for people who wonder whether to do something.
std::string_view outlook(const ClockObservation& seen, bool hold) {
    if (seen.held) {
        return "; IDs keep their time until the wall clock comes back within 1 s, the clock of the registry or of the "
               "other instances confirms it, or the process is started anew";
    }
    return hold ? "; IDs keep their time and draw near to it by 488 ppm" : "";
}

}  // namespace

void ClockWatch::note(const ClockObservation& seen, SteadyTime now) {
    offset_ms_.store(seen.offset_ms, std::memory_order_relaxed);
    metrics_.clock_offset_ms.set(seen.offset_ms);
    if (seen.step_ms < 0) metrics_.clock_steps_back.add();
    if (seen.step_ms > 0) metrics_.clock_steps_ahead.add();
    if (seen.adopted) spdlog::warn("Clock: jumped ahead to the wall clock, which another clock confirms");

    const bool together = std::abs(seen.offset_ms) <= ClockDiscipline::noise_ms;
    if (seen.step_ms != 0) {
        ++untold_;
        last_step_ms_ = seen.step_ms;
    }
    if (together) {
        untold_ = 0;
        if (std::exchange(told_, false)) spdlog::info("Clock: the wall clock agrees with the time of IDs again");
    } else if (untold_ > 0 && (!last_line_ || now - *last_line_ >= between_lines)) {
        tell_step(seen);
        last_line_ = now;
    }
}

void ClockWatch::tell_step(const ClockObservation& seen) {
    const auto others = untold_ == 1 ? std::string() : fmt::format(", the last of {} steps", untold_);
    spdlog::warn("Clock: the wall clock was set {} by {} ms{}; {}{}", last_step_ms_ < 0 ? "back" : "ahead",
                 std::abs(last_step_ms_), others, distance(seen.offset_ms), outlook(seen, hold_));
    untold_ = 0;
    told_ = true;
}

std::string ClockWatch::warning() const {
    const std::int64_t offset = offset_ms_.load(std::memory_order_relaxed);
    return std::abs(offset) <= ClockDiscipline::follow_ms ? std::string() : distance(offset);
}

}  // namespace frond::snowflake
