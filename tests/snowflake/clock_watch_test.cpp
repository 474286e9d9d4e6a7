#include "snowflake/clock_watch.hpp"

#include "worker/log_capture.hpp"

#include <gtest/gtest.h>

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;

class ClockWatchTest : public testing::Test {
protected:
    void note(std::int64_t step_ms, std::int64_t offset_ms) {
        watch_.note({step_ms, offset_ms, offset_ms > ClockDiscipline::follow_ms, false}, now_);
        now_ += 333ms;
    }

    SnowflakeMetrics metrics_;
    ClockWatch watch_{metrics_, true};
    SteadyTime now_{};
    test::LogCapture log_;
};

TEST_F(ClockWatchTest, TellsTheBeginningAndTheEnd) {
    note(0, 0);
    EXPECT_EQ(log_.text(), "");
    note(-30'000, -30'000);
    EXPECT_EQ(log_.count("set back by 30000 ms; the wall clock is 30000 ms behind the time of IDs"), 1) << log_.text();
    EXPECT_NE(watch_.warning(), "");
    EXPECT_EQ(metrics_.clock_offset_ms.value(), -30'000);
    for (int i = 0; i < 100; ++i) note(0, -30'000);
    note(30'000, 0);
    EXPECT_EQ(log_.count("agrees with the time of IDs again"), 1);
    EXPECT_EQ(watch_.warning(), "");
    EXPECT_EQ(metrics_.clock_steps_back.value(), 1U);
    EXPECT_EQ(metrics_.clock_steps_ahead.value(), 1U);
    EXPECT_EQ(log_.count("Clock"), 2);
}

TEST_F(ClockWatchTest, SaysHowAHeldJumpEnds) {
    note(3'600'000, 3'600'000);
    EXPECT_EQ(log_.count("until the wall clock comes back within 1 s, the clock of the registry"), 1);
    EXPECT_NE(watch_.warning().find("3600000 ms ahead"), std::string::npos);
}

TEST_F(ClockWatchTest, AThousandStepsAreCountedButNotAllTold) {
    for (int i = 1; i <= 1000; ++i) note(-10, -10 * i);
    EXPECT_EQ(metrics_.clock_steps_back.value(), 1000U);
    EXPECT_LE(log_.count("Clock"), 36) << "333 s, one line in 10 s";
    EXPECT_GT(log_.count("the last of 31 steps"), 20) << log_.text();
}

TEST_F(ClockWatchTest, AStepWithinTenSecondsOfTheLastIsToldLater) {
    note(-10, -10);
    note(10, 0);
    note(-3'600'000, -3'600'000);
    EXPECT_EQ(log_.count("3600000"), 0);
    for (int i = 0; i < 40; ++i) note(0, -3'600'000);
    EXPECT_EQ(log_.count("set back by 3600000 ms"), 1);
}

}  // namespace
}  // namespace frond::snowflake
