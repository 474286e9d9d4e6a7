#include "worker/watermark.hpp"

#include <gtest/gtest.h>

namespace frond::worker {
namespace {

TEST(Watermark, RunsAheadOfTheClockByTheLeadAndNoMore) {
    EXPECT_EQ(next_watermark(INT64_MIN, 5'000, 1'000, INT64_MAX), 6'000);
    EXPECT_EQ(next_watermark(5'700, 5'000, 1'000, INT64_MAX), 6'000);
}

TEST(Watermark, NeverGoesBack) {
    EXPECT_EQ(next_watermark(9'000, 5'000, 1'000, INT64_MAX), 9'000);
    EXPECT_EQ(next_watermark(9'000, 10'000, 1'000, 8'000), 9'000);
}

TEST(Watermark, StopsAtTheFence) { EXPECT_EQ(next_watermark(1'000, 5'000, 1'000, 5'500), 5'500); }

TEST(Watermark, DoesNotOverflow) {
    EXPECT_EQ(next_watermark(0, INT64_MAX - 10, 1'000, INT64_MAX), INT64_MAX);
    EXPECT_EQ(next_watermark(INT64_MIN, INT64_MIN, 1'000, INT64_MAX), INT64_MIN + 1'000);
}

TEST(Watermark, MovesThreeTimesInALead) {
    EXPECT_EQ(watermark_interval(1'000).count(), 333);
    EXPECT_EQ(watermark_interval(0).count(), 1);
    EXPECT_EQ(dependable_lead(1'000), 667);
    EXPECT_EQ(dependable_lead(0), 0);
}

}  // namespace
}  // namespace frond::worker
