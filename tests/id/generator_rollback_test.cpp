// Clocks that step back: no ID repeats, whatever the size of the step, and no call hangs.
#include <frond/snowflake_generator.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <unordered_set>

namespace frond {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

// Takes up to `count` IDs at time `at` and checks that they are new. Returns how many there were.
int take_new(SnowflakeGenerator& generator, std::unordered_set<std::int64_t>& ids, std::int64_t at, int count) {
    int got = 0;
    for (int i = 0; i < count; ++i) {
        const auto run = generator.take(at);
        if (!run) {
            EXPECT_EQ(run.error().code, errc::clock_rollback) << run.error().detail;
            break;
        }
        EXPECT_TRUE(ids.insert(generator.id(run->first)).second) << "repeated at " << at;
        ++got;
    }
    return got;
}

class Rollback : public testing::TestWithParam<std::int64_t> {};

TEST_P(Rollback, WithinTheLeadCostsNothing) {
    SnowflakeGenerator generator({.layout = {}, .max_ahead_ms = GetParam() + 10});
    std::unordered_set<std::int64_t> ids;
    EXPECT_EQ(take_new(generator, ids, now, 1000), 1000);
    EXPECT_EQ(take_new(generator, ids, now - GetParam(), 1000), 1000);
    EXPECT_EQ(take_new(generator, ids, now, 1000), 1000);
}

TEST_P(Rollback, BeyondTheLeadIsRefusedUntilTheClockIsNear) {
    const std::int64_t lead = GetParam() - 1;
    SnowflakeGenerator generator({.layout = {}, .max_ahead_ms = lead});
    std::unordered_set<std::int64_t> ids;
    EXPECT_EQ(take_new(generator, ids, now, 1000), 1000);
    EXPECT_EQ(take_new(generator, ids, now - GetParam(), 1000), 0);
    EXPECT_EQ(generator.ready_at_ms(1), now - lead);
    EXPECT_EQ(take_new(generator, ids, now - lead, 1000), 1000);
}

INSTANTIATE_TEST_SUITE_P(Steps, Rollback, testing::Values(1, 5, 10, 30'000, 3'600'000));

TEST(SnowflakeGenerator, AThousandSmallStepsBackCostNothing) {
    SnowflakeGenerator generator({.layout = {}});
    std::unordered_set<std::int64_t> ids;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(take_new(generator, ids, now + i * 20, 10), 10);
        ASSERT_EQ(take_new(generator, ids, now + i * 20 - 10, 10), 10);
    }
}

TEST(SnowflakeGenerator, AClockThatJumpsAboutNeverRepeatsAnId) {
    std::mt19937_64 random(20);
    SnowflakeGenerator generator({.layout = {}, .max_ahead_ms = 100});
    std::unordered_set<std::int64_t> ids;
    std::int64_t clock = now;
    for (int i = 0; i < 20'000; ++i) {
        clock += static_cast<std::int64_t>(random() % 121) - 50;
        take_new(generator, ids, clock, static_cast<int>(random() % 4));
    }
    EXPECT_GT(ids.size(), 1000U);
}

}  // namespace
}  // namespace frond
