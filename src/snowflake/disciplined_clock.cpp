#include "snowflake/disciplined_clock.hpp"

#include <chrono>

namespace frond::snowflake {

ClockReading read_clocks(const Clock& clock) noexcept {
    constexpr int tries = 4;
    constexpr std::chrono::milliseconds close_enough{1};
    ClockReading best{};
    auto best_width = SteadyTime::duration::max();
    for (int i = 0; i < tries && best_width > close_enough; ++i) {
        const SteadyTime before = clock.steady();
        const WallTime wall = clock.wall();
        const auto width = clock.steady() - before;
        if (width >= best_width) continue;
        best = {wall, before + width / 2};
        best_width = width;
    }
    return best;
}

DisciplinedClock::DisciplinedClock(const Clock& clock, std::int64_t agreement_ms) noexcept
    : clock_(clock), agreement_ms_(agreement_ms), discipline_({}, {}) {
    restart(read_clocks(clock));
}

ClockObservation DisciplinedClock::observe(const ClockReading& reading) noexcept {
    const ClockLine before = discipline_.line();
    const ClockObservation seen = discipline_.observe(reading.wall, reading.steady);
    if (discipline_.line() != before) publish(discipline_.line());
    return seen;
}

void DisciplinedClock::restart(const ClockReading& reading) noexcept {
    discipline_ = ClockDiscipline(reading.wall, reading.steady, agreement_ms_);
    publish(discipline_.line());
}

void DisciplinedClock::publish(const ClockLine& line) noexcept {
    const std::uint64_t number = current_.load(std::memory_order_relaxed) + 1;
    Slot& slot = lines_[number % slots];
    slot.anchor_steady_ns.store(line.anchor_steady_ns, std::memory_order_release);
    slot.anchor_ms.store(line.anchor_ms, std::memory_order_release);
    slot.anchor_rest_ns.store(line.anchor_rest_ns, std::memory_order_release);
    slot.slew.store(line.slew, std::memory_order_release);
    current_.store(number, std::memory_order_release);
}

}  // namespace frond::snowflake
