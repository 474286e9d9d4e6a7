#include "worker/start_rule.hpp"

#include <gtest/gtest.h>

namespace frond::worker {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

TEST(StartRule, GoesWithoutAFloorOrAboveIt) {
    const StartRule rule;
    EXPECT_FALSE(refuse_start(rule, now, std::nullopt));
    EXPECT_FALSE(refuse_start(rule, now, now - 1));
    EXPECT_FALSE(refuse_start(rule, now, INT64_MIN));
}

TEST(StartRule, GoesWithinTheLeadOfTheFloorAndWaitsBeyond) {
    const StartRule rule;
    EXPECT_FALSE(refuse_start(rule, now, now + 1'000));
    EXPECT_EQ(start_allowed_at(rule, now + 1'000), now);
    const auto refused = refuse_start(rule, now, now + 1'001);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, errc::clock_rollback);
    EXPECT_NE(refused->detail.find("waiting for it"), std::string::npos);
}

TEST(StartRule, SaysBothClocksAndTheirDifferenceWhenTheClockIsWrong) {
    const StartRule rule;
    const auto refused = refuse_start(rule, now, now + 10'001);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, errc::clock_rollback);
    EXPECT_NE(refused->detail.find("2023-11-14T22:13:20.000Z"), std::string::npos) << refused->detail;
    EXPECT_NE(refused->detail.find("2023-11-14T22:13:30.001Z"), std::string::npos) << refused->detail;
    EXPECT_NE(refused->detail.find("10001 ms behind"), std::string::npos) << refused->detail;
    EXPECT_NE(refused->detail.find("set the clock right"), std::string::npos) << refused->detail;
}

TEST(StartRule, TakesAnyFloorThatAFileCanHold) {
    const StartRule rule;
    EXPECT_TRUE(refuse_start(rule, now, INT64_MAX));
    EXPECT_EQ(start_allowed_at(rule, INT64_MIN), INT64_MIN);
    StartRule early;
    early.layout = *SnowflakeLayout::make(-now, 44, 10, 9);
    EXPECT_TRUE(refuse_start(early, -now, INT64_MAX));
}

TEST(StartRule, RefusesOutsideTheTimestampField) {
    const SnowflakeLayout small = *SnowflakeLayout::make(now, 10, 10, 12);
    EXPECT_EQ(refuse_time(small, now - 1)->code, errc::clock_rollback);
    EXPECT_FALSE(refuse_time(small, now));
    EXPECT_FALSE(refuse_time(small, now + 1'023));
    EXPECT_EQ(refuse_time(small, now + 1'024)->code, errc::timestamp_exhausted);
}

}  // namespace
}  // namespace frond::worker
