// One thread: what a take brings, and what is left at the end.
#include "segment/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace frond::segment {
namespace {

void publish(SegmentBuffer& buffer, const Range& range) { buffer.publish(range, *run_of(range, "k")); }

std::optional<std::vector<Run>> take(SegmentBuffer& buffer, std::uint64_t n) {
    Taken out;
    if (!buffer.take(n, out)) return std::nullopt;
    return std::vector<Run>(out.runs.begin(), out.runs.begin() + out.size);
}

using Runs = std::vector<Run>;
using Ranges = std::vector<Range>;

TEST(SegmentBuffer, IsEmptyAtFirst) {
    SegmentBuffer buffer;
    EXPECT_FALSE(take(buffer, 1));
    EXPECT_EQ(buffer.remaining(), 0U);
    EXPECT_EQ(buffer.occupied(), 0U);
    EXPECT_TRUE(buffer.has_room());
}

TEST(SegmentBuffer, GivesTheIdsOfARangeInOrder) {
    SegmentBuffer buffer;
    publish(buffer, {1, 11, 1, 0});
    EXPECT_EQ(*take(buffer, 1), (Runs{{1, 1, 1}}));
    EXPECT_EQ(*take(buffer, 4), (Runs{{2, 4, 1}}));
    EXPECT_EQ(buffer.remaining(), 5U);
    EXPECT_FALSE(take(buffer, 6)) << "all or nothing";
    EXPECT_EQ(*take(buffer, 5), (Runs{{6, 5, 1}}));
    EXPECT_FALSE(take(buffer, 1));
    EXPECT_EQ(buffer.position(), 10U);
}

TEST(SegmentBuffer, SpansRangesInOneTake) {
    SegmentBuffer buffer;
    publish(buffer, {100, 110, 1, 0});
    publish(buffer, {200, 210, 1, 0});
    publish(buffer, {300, 310, 1, 0});
    EXPECT_FALSE(buffer.has_room());
    EXPECT_EQ(*take(buffer, 5), (Runs{{100, 5, 1}}));
    EXPECT_EQ(*take(buffer, 20), (Runs{{105, 5, 1}, {200, 10, 1}, {300, 5, 1}}));
    EXPECT_EQ(buffer.occupied(), 1U);
    publish(buffer, {400, 410, 1, 0});
    EXPECT_EQ(*take(buffer, 15), (Runs{{305, 5, 1}, {400, 10, 1}}));
}

TEST(SegmentBuffer, MergesRangesThatGoStraightOn) {
    SegmentBuffer buffer;
    publish(buffer, {1, 11, 1, 0});
    publish(buffer, {11, 21, 1, 0});
    publish(buffer, {21, 31, 1, 0});
    EXPECT_EQ(*take(buffer, 30), (Runs{{1, 30, 1}}));

    SegmentBuffer odd;
    publish(odd, {0, 9, 3, 1});
    publish(odd, {9, 18, 3, 1});
    publish(odd, {18, 30, 4, 1});
    EXPECT_EQ(*take(odd, 9), (Runs{{1, 6, 3}, {21, 3, 4}}));
}

TEST(SegmentBuffer, KeepsToDeltaAndRemainder) {
    SegmentBuffer buffer;
    publish(buffer, {10, 30, 4, 3});
    EXPECT_EQ(*take(buffer, 2), (Runs{{11, 2, 4}}));
    EXPECT_EQ(*take(buffer, 3), (Runs{{19, 3, 4}}));
    EXPECT_FALSE(take(buffer, 1));
}

TEST(SegmentBuffer, WorksAtTheEndOfInt64) {
    SegmentBuffer buffer;
    publish(buffer, {INT64_MAX - 10, INT64_MAX - 5, 1, 0});
    publish(buffer, {INT64_MAX - 5, INT64_MAX, 1, 0});
    EXPECT_EQ(*take(buffer, 10), (Runs{{INT64_MAX - 10, 10, 1}}));

    SegmentBuffer sparse;
    publish(sparse, {0, INT64_MAX, INT64_MAX - 1, 7});
    publish(sparse, {INT64_MAX - 3, INT64_MAX, 2, 0});
    EXPECT_EQ(*take(sparse, 2), (Runs{{7, 1, INT64_MAX - 1}, {INT64_MAX - 3 + (INT64_MAX - 3) % 2, 1, 2}}));
}

TEST(SegmentBuffer, WantsARefillOnceATenthOfTheLastRangeIsUsed) {
    SegmentBuffer buffer;
    publish(buffer, {0, 100, 1, 0});
    Taken out;
    for (int i = 1; i <= 20; ++i) {
        ASSERT_TRUE(buffer.take(1, out));
        ASSERT_EQ(out.wants_refill, i >= 10) << i;
    }
    publish(buffer, {100, 200, 1, 0});
    ASSERT_TRUE(buffer.take(80, out));
    EXPECT_FALSE(out.wants_refill) << "the next range is untouched";
    ASSERT_TRUE(buffer.take(9, out));
    EXPECT_FALSE(out.wants_refill);
    ASSERT_TRUE(buffer.take(1, out));
    EXPECT_TRUE(out.wants_refill);

    SegmentBuffer tiny;
    publish(tiny, {0, 1, 1, 0});
    ASSERT_TRUE(tiny.take(1, out));
    EXPECT_TRUE(out.wants_refill);
}

TEST(SegmentBuffer, ReusesItsSlotsForEver) {
    SegmentBuffer buffer;
    std::int64_t next = 0;
    std::int64_t published = 0;
    for (int round = 0; round < 10'000; ++round) {
        while (buffer.has_room()) {
            publish(buffer, {published, published + 7, 1, 0});
            published += 7;
        }
        const auto n = static_cast<std::uint64_t>(round % 14 + 1);
        ASSERT_EQ(*take(buffer, n), (Runs{{next, static_cast<std::int64_t>(n), 1}}));
        next += static_cast<std::int64_t>(n);
    }
}

TEST(SegmentBuffer, CloseReturnsTheTailsLatestFirst) {
    SegmentBuffer buffer;
    publish(buffer, {100, 110, 1, 0});
    publish(buffer, {200, 210, 1, 0});
    publish(buffer, {300, 310, 1, 0});
    (void)take(buffer, 13);
    publish(buffer, {400, 410, 1, 0});  // into the slot of the first
    EXPECT_EQ(buffer.close(), (Ranges{{400, 410, 1, 0}, {300, 310, 1, 0}, {203, 210, 1, 0}}));
    EXPECT_FALSE(take(buffer, 1));
    EXPECT_EQ(buffer.remaining(), 0U);
    EXPECT_TRUE(buffer.close().empty()) << "once";
    publish(buffer, {500, 510, 1, 0});
    EXPECT_FALSE(take(buffer, 1)) << "for good";
}

TEST(SegmentBuffer, TailsBeginJustAboveTheLastIdTaken) {
    SegmentBuffer buffer;
    publish(buffer, {10, 30, 4, 3});  // 11, 15, 19, 23, 27
    (void)take(buffer, 2);
    EXPECT_EQ(buffer.close(), (Ranges{{16, 30, 4, 3}}));

    SegmentBuffer untouched;
    publish(untouched, {10, 30, 4, 3});
    EXPECT_EQ(untouched.close(), (Ranges{{10, 30, 4, 3}})) << "all of it, also what comes before its first ID";

    SegmentBuffer used_up;
    publish(used_up, {10, 30, 4, 3});
    (void)take(used_up, 5);
    EXPECT_TRUE(used_up.close().empty());
}

}  // namespace
}  // namespace frond::segment
