#include "segment/step_policy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace frond::segment {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

TEST(NextStep, FollowsHowLongTheRangeLasted) {
    const struct {
        std::int64_t step;
        nanoseconds lasted;
        bool waited;
        std::int64_t expected;
    } cases[] = {
        {2000, nanoseconds(0), false, 4000},
        {2000, minutes(15) - milliseconds(1), false, 4000},
        {2000, minutes(15), false, 2000},
        {2000, minutes(30) - milliseconds(1), false, 2000},
        {2000, minutes(30), false, 1000},
        {2000, hours(24 * 365), false, 1000},
        {1000, hours(1), false, 1000},  // not under the row's own
        {1500, hours(1), false, 1000},
        {800'000, nanoseconds(0), false, 1'000'000},
        {1'000'000, nanoseconds(0), false, 1'000'000},
        {2000, hours(1), true, 4000},  // somebody waited
        {2000, minutes(20), true, 4000},
        {0, minutes(20), false, 1000},  // nothing known yet
        {INT64_MAX, nanoseconds(0), false, 1'000'000},
        {2000, nanoseconds(-1), false, 4000},
    };
    for (const auto& [step, lasted, waited, expected] : cases) {
        EXPECT_EQ(next_step(step, 1000, 1'000'000, lasted, waited), expected)
            << step << " after " << lasted.count() << " ns, waited " << waited;
    }
}

TEST(NextStep, RowStepOverTheMaximumStays) {
    EXPECT_EQ(next_step(5'000'000, 5'000'000, 1'000'000, nanoseconds(0), true), 5'000'000);
    EXPECT_EQ(next_step(INT64_MAX, INT64_MAX, 1, nanoseconds(0), true), INT64_MAX);
    EXPECT_EQ(next_step(INT64_MAX, 1, INT64_MAX, nanoseconds(0), true), INT64_MAX);
}

TEST(DecideWidth, IsTheAdaptedStepWhileTheRowIsAsKnown) {
    StepRequest request{.known_row_step = 1000, .step = 4000, .at_least = 1};
    EXPECT_EQ(decide_width(request, 1000, 1), 4000);
    EXPECT_EQ(decide_width(request, 500, 1), 500) << "the row's step has changed";
    EXPECT_EQ(decide_width({}, 1000, 1), 1000) << "first use";
    request.step = 0;
    EXPECT_EQ(decide_width(request, 1000, 1), 1);
}

TEST(DecideWidth, HoldsAsManyIdsAsWanted) {
    EXPECT_EQ(decide_width({.at_least = 5000}, 1000, 1), 5000);
    EXPECT_EQ(decide_width({.at_least = 5000}, 1000, 8), 40'000);
    EXPECT_EQ(decide_width({.at_least = 100}, 1000, 8), 1000);
    EXPECT_EQ(decide_width({.at_least = INT64_MAX}, 1000, 2), INT64_MAX) << "saturates";
}

TEST(BelowGuard, OnlyAnAcceptedRowMayGoBack) {
    const StepRequest request{.not_below = 1000, .known_accepted = 2};
    EXPECT_TRUE(below_guard(request, 999, 2));
    EXPECT_FALSE(below_guard(request, 1000, 2));
    EXPECT_FALSE(below_guard(request, 1, 3));
    EXPECT_TRUE(below_guard(request, 999, 1));  // restored from before the acceptance
    EXPECT_TRUE(below_guard(request, 999, 0));  // frond_key is gone
    EXPECT_FALSE(below_guard({}, 0, 0));
}

}  // namespace
}  // namespace frond::segment
