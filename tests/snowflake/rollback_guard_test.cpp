#include "snowflake/rollback_guard.hpp"

#include "snowflake/fake_clock.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;
using test::FakeClock;

class RollbackGuardTest : public testing::Test {
protected:
    FakeClock source_;
    DisciplinedClock clock_{source_};
    RollbackGuard guard_{source_, clock_};
};

TEST_F(RollbackGuardTest, LetsTimeGoOn) {
    for (int i = 0; i < 10; ++i) {
        const auto reading = guard_.check();
        EXPECT_EQ(reading.behind_ms, 0);
        EXPECT_EQ(reading.now_ms, FakeClock::start_ms + i);
        source_.advance(1ms);
    }
}

TEST_F(RollbackGuardTest, RefusesUntilTheWallClockHasCaughtUpWithTheLastTake) {
    guard_.check();
    source_.step(-30s);
    EXPECT_EQ(guard_.check().behind_ms, 30'000);
    EXPECT_EQ(guard_.behind_ms(), 30'000);
    source_.advance(29'999ms);
    EXPECT_EQ(guard_.check().behind_ms, 1);
    source_.advance(1ms);
    EXPECT_EQ(guard_.check().behind_ms, 0);
    EXPECT_EQ(guard_.now_ms(), source_.wall_ms()) << "the wall clock, not the disciplined one";
}

TEST_F(RollbackGuardTest, AStepBackBeforeAnyTakeIsNone) {
    guard_.check();
    source_.advance(60s);
    source_.step(-30s);
    EXPECT_EQ(guard_.check().behind_ms, 0) << "nothing was issued in the last minute";
}

TEST_F(RollbackGuardTest, AJumpAheadAndBackIsNoRollback) {
    source_.step(1h);
    EXPECT_EQ(guard_.check().now_ms, FakeClock::start_ms) << "the jump is not followed";
    source_.advance(1s);
    guard_.check();
    source_.step(-1h);
    EXPECT_EQ(guard_.check().behind_ms, 0);
}

TEST_F(RollbackGuardTest, ThreadsNeverTakeEachOtherForARollback) {
    const SystemClock system;
    const DisciplinedClock disciplined(system);
    RollbackGuard guard(system, disciplined);
    std::atomic<int> rollbacks{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 20'000; ++n) rollbacks += guard.check().behind_ms > RollbackGuard::patience_ms;
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(rollbacks, 0);
}

}  // namespace
}  // namespace frond::snowflake
