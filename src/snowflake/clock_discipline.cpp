#include "snowflake/clock_discipline.hpp"

#include <cstdlib>

namespace frond::snowflake {
namespace {

std::int64_t ns_of(SteadyTime steady) noexcept { return steady.time_since_epoch().count(); }
std::int64_t ms_of(SteadyTime steady) noexcept { return ns_of(steady) / 1'000'000; }

}  // namespace

ClockDiscipline::ClockDiscipline(WallTime wall, SteadyTime steady, std::int64_t agreement_ms) noexcept
    : line_{ns_of(steady), unix_ms(wall), 0, 0},
      agreement_ms_(agreement_ms),
      last_difference_ms_(unix_ms(wall) - ms_of(steady)) {}

ClockObservation ClockDiscipline::observe(WallTime wall, SteadyTime steady) noexcept {
    ClockObservation seen;
    const std::int64_t difference = unix_ms(wall) - ms_of(steady);
    const std::int64_t change = difference - last_difference_ms_;
    last_difference_ms_ = difference;
    if (std::abs(change) > noise_ms) seen.step_ms = change;

    std::int64_t offset = unix_ms(wall) - line_.at(ns_of(steady));
    if (offset > follow_ms && agrees(unix_ms(wall), ms_of(steady))) {
        line_ = ClockLine{ns_of(steady), unix_ms(wall), 0, 0};
        seen.adopted = true;
        offset = 0;
    }
    seen.offset_ms = offset;
    seen.held = offset > follow_ms;
    if (const std::int64_t slew = slew_for(offset); slew != line_.slew) line_ = line_.turned(ns_of(steady), slew);
    return seen;
}

void ClockDiscipline::offer_reference(WallTime reference, SteadyTime steady) noexcept {
    reference_ = Reference{unix_ms(reference), ms_of(steady)};
}

bool ClockDiscipline::agrees(std::int64_t wall_ms, std::int64_t steady_ms) const noexcept {
    if (!reference_) return false;
    const std::int64_t age = steady_ms - reference_->steady_ms;
    return age <= reference_age_ms && std::abs(wall_ms - (reference_->ms + age)) <= agreement_ms_;
}

// Once under way, goes on until the two are less than the noise apart, else starts only beyond it.
std::int64_t ClockDiscipline::slew_for(std::int64_t offset_ms) const noexcept {
    if (offset_ms > follow_ms) return 0;
    const std::int64_t side = offset_ms > 0 ? 1 : -1;
    const std::int64_t enough = line_.slew == side ? 0 : noise_ms;
    return std::abs(offset_ms) > enough ? side : 0;
}

}  // namespace frond::snowflake
