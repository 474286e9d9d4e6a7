// How wide the next range shall be. Pure functions on numbers, no clock, no overflow.
#pragma once

#include <chrono>
#include <cstdint>

namespace frond::segment {

// What a server asks of a key's row. The answer depends on the row too, so the decision is made where the row is
// read: decide_width().
struct StepRequest {
    std::int64_t known_row_step = 0;  // the row's own step when it was last seen; 0 before the first range
    std::int64_t step = 0;            // the adapted step that fits it; ignored when the row's step has changed since
    std::int64_t at_least = 0;        // IDs that the range must hold at least
    std::int64_t not_below = 0;       // the guard: the range must not begin below it, unless an operator has accepted
                                      // the row since (`accepted` differs from the one known)
    std::int64_t known_accepted = 0;  // the row's `accepted` when the guard was set
};

// True when a range that begins at `first`, in a row accepted `accepted` times, would go below the guard: the table
// went backwards, and the store must refuse (errc::store_went_backwards) without changing it. A count below the one
// known has gone back together with the table, and excuses nothing.
[[nodiscard]] bool below_guard(const StepRequest& request, std::int64_t first, std::int64_t accepted) noexcept;

inline constexpr std::int64_t default_max_step = 1'000'000;

// Width of the range (last_exclusive - first): the adapted step while the row's step is as known, else the row's step;
// never under at_least * delta. Saturates at INT64_MAX. row_step and delta are at least 1.
[[nodiscard]] std::int64_t decide_width(const StepRequest& request, std::int64_t row_step, std::int64_t delta) noexcept;

// Leaf's policy: a range that lasted under 15 min doubles the step, up to max_step; under 30 min keeps it; longer
// halves it, never under row_step. A caller who had to wait doubles it whatever the duration. A row_step over max_step
// is left as it is.
[[nodiscard]] std::int64_t next_step(std::int64_t step, std::int64_t row_step, std::int64_t max_step,
                                     std::chrono::nanoseconds lasted, bool somebody_waited) noexcept;

}  // namespace frond::segment
