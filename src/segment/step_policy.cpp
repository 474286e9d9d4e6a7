#include "segment/step_policy.hpp"

#include <algorithm>

namespace frond::segment {
namespace {

constexpr std::chrono::minutes doubles_under{15};
constexpr std::chrono::minutes keeps_under{30};

std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

}  // namespace

bool below_guard(const StepRequest& request, std::int64_t first, std::int64_t accepted) noexcept {
    return first < request.not_below && accepted <= request.known_accepted;
}

std::int64_t decide_width(const StepRequest& request, std::int64_t row_step, std::int64_t delta) noexcept {
    const std::int64_t step = request.known_row_step == row_step ? std::max(request.step, std::int64_t{1}) : row_step;
    return std::max(step, product(request.at_least, delta));
}

std::int64_t next_step(std::int64_t step, std::int64_t row_step, std::int64_t max_step, std::chrono::nanoseconds lasted,
                       bool somebody_waited) noexcept {
    const std::int64_t ceiling = std::max(max_step, row_step);
    if (somebody_waited || lasted < doubles_under) return std::clamp(product(step, 2), row_step, ceiling);
    if (lasted < keeps_under) return std::clamp(step, row_step, ceiling);
    return std::clamp(step / 2, row_step, ceiling);
}

}  // namespace frond::segment
