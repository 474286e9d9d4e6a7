// How the disciplined clock follows the wall clock. A pure object: times are arguments, nothing here reads a clock.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>

namespace frond::snowflake {

// Disciplined time as a straight line over steady time: anchor + elapsed, a little faster or slower while it slews.
// A value.
struct ClockLine {
    // One part in 2048 is 488 ppm: just under the 500 ppm at which the kernel's adjtime and NTP daemons slew, so that
    // whoever lives with those lives with this. 1 s takes 34 min.
    static constexpr int slew_shift = 11;

    std::int64_t anchor_steady_ns = 0;
    std::int64_t anchor_ms = 0;       // ms since the Unix epoch
    std::int64_t anchor_rest_ns = 0;  // 0 to 999,999, beside anchor_ms
    std::int64_t slew = 0;            // 1 faster, -1 slower than steady time

    // ms since the Unix epoch; grows with steady_ns. For steady_ns from the anchor on.
    [[nodiscard]] constexpr std::int64_t at(std::int64_t steady_ns) const noexcept {
        return anchor_ms + ns_after_anchor(steady_ns) / 1'000'000;
    }
    // The same line, anchored at steady_ns and going on with another slew: no jump.
    [[nodiscard]] constexpr ClockLine turned(std::int64_t steady_ns, std::int64_t new_slew) const noexcept {
        const std::int64_t ns = ns_after_anchor(steady_ns);
        return {steady_ns, anchor_ms + ns / 1'000'000, ns % 1'000'000, new_slew};
    }

    bool operator==(const ClockLine&) const = default;

private:
    [[nodiscard]] constexpr std::int64_t ns_after_anchor(std::int64_t steady_ns) const noexcept {
        const std::int64_t elapsed = steady_ns - anchor_steady_ns;
        const std::int64_t ns = anchor_rest_ns + elapsed;
        if (slew == 0) [[likely]]
            return ns;
        return ns + slew * (elapsed >> slew_shift);
    }
};

// What one look at the clocks showed. All in ms.
struct ClockObservation {
    std::int64_t step_ms = 0;    // the wall clock was set by this much since the last look; 0 when it was not
    std::int64_t offset_ms = 0;  // wall clock minus disciplined clock, after the look
    bool held = false;           // the wall clock is ahead by more than the disciplined clock follows by itself
    bool adopted = false;        // this look jumped ahead to the wall clock, with the reference's consent
};

// Follows the wall clock, never backwards:
//   behind, by whatever      slower than steady time until they meet. Going slower cannot harm anybody
//   ahead by at most 1 s     faster than steady time until they meet
//   ahead by more            held: a clock set wrong by an hour must not make IDs of the future. Adopted in one jump
//                            when a reference (the registry's clock) is within 1 s of the wall clock
// Without a registry (`static`) nobody can consent: the clock holds its time until the wall clock comes back within
// 1 s, or the process is started anew. A start takes the wall clock as it is, above what the state file forbids.
// Used by one thread.
class ClockDiscipline {
public:
    static constexpr std::int64_t noise_ms = 2;       // two readings cut to ms differ by this much without a step
    static constexpr std::int64_t follow_ms = 1'000;  // a wall clock further ahead needs consent
    static constexpr std::int64_t reference_age_ms = 60'000;  // an older reference says nothing

    // A reference confirms a jump ahead when it is within agreement_ms of the wall clock.
    ClockDiscipline(WallTime wall, SteadyTime steady, std::int64_t agreement_ms = follow_ms) noexcept;

    // Takes a pair of readings of the same moment, at most 1 ms apart.
    ClockObservation observe(WallTime wall, SteadyTime steady) noexcept;

    // What a clock that is not this machine's showed at `steady`; the latest one counts.
    void offer_reference(WallTime reference, SteadyTime steady) noexcept;

    [[nodiscard]] const ClockLine& line() const noexcept { return line_; }

private:
    struct Reference {
        std::int64_t ms;
        std::int64_t steady_ms;
    };

    [[nodiscard]] bool agrees(std::int64_t wall_ms, std::int64_t steady_ms) const noexcept;
    [[nodiscard]] std::int64_t slew_for(std::int64_t offset_ms) const noexcept;

    ClockLine line_;
    std::int64_t agreement_ms_;
    std::int64_t last_difference_ms_;  // wall minus steady at the last look
    std::optional<Reference> reference_;
};

}  // namespace frond::snowflake
