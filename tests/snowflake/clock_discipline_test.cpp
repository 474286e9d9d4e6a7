#include "snowflake/clock_discipline.hpp"

#include "snowflake/fake_clock.hpp"

#include <gtest/gtest.h>

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;
using test::FakeClock;

constexpr std::int64_t start = FakeClock::start_ms;

class ClockDisciplineTest : public testing::Test {
protected:
    [[nodiscard]] std::int64_t now() const { return clock_.line().at(source_.steady().time_since_epoch().count()); }
    ClockObservation look() { return clock_.observe(source_.wall(), source_.steady()); }
    // Lets time go by with a look every second; true when disciplined time never went back meanwhile.
    bool pass(std::chrono::seconds time) {
        bool forward = true;
        for (auto second = 0s; second < time; ++second) {
            const std::int64_t before = now();
            source_.advance(1s);
            look();
            forward = forward && now() > before;
        }
        return forward;
    }

    FakeClock source_;
    ClockDiscipline clock_{source_.wall(), source_.steady()};
};

TEST_F(ClockDisciplineTest, StartsAtTheWallClockAndCountsSteadyTime) {
    EXPECT_EQ(now(), start);
    source_.advance(1234ms);
    EXPECT_EQ(now(), start + 1234);
    EXPECT_EQ(look().offset_ms, 0);
}

TEST_F(ClockDisciplineTest, NoStepMovesIt) {
    for (const auto step : {-5ms, -10ms, -30'000ms, -3'600'000ms, 500ms, 3'600'000ms}) {
        const std::int64_t before = now();
        source_.step(step);
        EXPECT_EQ(now(), before);
        EXPECT_EQ(look().step_ms, step.count());
        EXPECT_EQ(now(), before);
    }
}

TEST_F(ClockDisciplineTest, HowCloseAReferenceMustBeIsAChoice) {
    clock_ = ClockDiscipline(source_.wall(), source_.steady(), 10'000);
    source_.step(3'600'000ms);
    clock_.offer_reference(wall_time(unix_ms(source_.wall()) - 10'001), source_.steady());
    EXPECT_FALSE(look().adopted);
    clock_.offer_reference(wall_time(unix_ms(source_.wall()) - 10'000), source_.steady());
    EXPECT_TRUE(look().adopted);
}

TEST_F(ClockDisciplineTest, NoiseOfCutMillisecondsIsNoStep) {
    for (const auto jitter : {1ms, -1ms, -1ms, 2ms, -2ms}) {
        source_.step(jitter);
        EXPECT_EQ(look().step_ms, 0);
    }
    EXPECT_EQ(clock_.line().slew, 0);
}

TEST_F(ClockDisciplineTest, FollowsASmallStepAheadAtABoundedRate) {
    source_.step(400ms);
    look();
    const std::int64_t before = now();
    source_.advance(100s);
    EXPECT_EQ(now() - before, 100'000 + 100'000 / 2048);
    EXPECT_TRUE(pass(900s));
    EXPECT_EQ(clock_.line().slew, 0) << "they have met";
    EXPECT_LE(std::abs(look().offset_ms), 1);
}

TEST_F(ClockDisciplineTest, FollowsAStepBackNeverBackwards) {
    source_.step(-400ms);
    look();
    const std::int64_t before = now();
    source_.advance(100s);
    EXPECT_EQ(now() - before, 100'000 - 100'000 / 2048 - 1);
    EXPECT_TRUE(pass(900s));
    EXPECT_EQ(clock_.line().slew, 0);
    EXPECT_LE(std::abs(look().offset_ms), 1);
}

TEST_F(ClockDisciplineTest, SlewingNeverGoesBackInsideAMillisecond) {
    source_.step(-5ms);
    look();
    const std::int64_t from = source_.steady().time_since_epoch().count();
    std::int64_t last = clock_.line().at(from);
    for (std::int64_t ns = 0; ns < 20'000'000; ns += 977) {
        const std::int64_t at = clock_.line().at(from + ns);
        EXPECT_GE(at, last);
        last = at;
    }
}

TEST_F(ClockDisciplineTest, AThousandSmallStepsBackAreHarmless) {
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t before = now();
        source_.step(-10ms);
        source_.advance(3s);
        EXPECT_NE(look().step_ms, 0);
        EXPECT_GT(now(), before);
    }
}

TEST_F(ClockDisciplineTest, AJumpAheadDoesNotPoison) {
    constexpr auto ten_years = std::chrono::milliseconds(std::chrono::hours(24 * 3652));
    for (const auto jump : {std::chrono::milliseconds(1h), ten_years}) {
        const std::int64_t before = now();
        source_.step(jump);
        const ClockObservation seen = look();
        EXPECT_TRUE(seen.held);
        EXPECT_EQ(seen.offset_ms, jump.count());
        EXPECT_TRUE(pass(600s));
        EXPECT_EQ(now(), before + 600'000) << "not by a millisecond";
        source_.step(-jump);
        EXPECT_FALSE(look().held);
        EXPECT_EQ(look().offset_ms, 0);
    }
}

TEST_F(ClockDisciplineTest, ManySmallStepsAheadAreNotFollowedBeyondASecond) {
    for (int i = 0; i < 20; ++i) {
        source_.step(900ms);
        look();
        source_.advance(1s);
    }
    EXPECT_TRUE(look().held);
    EXPECT_LT(now(), start + 20'000 + 1'000);
}

TEST_F(ClockDisciplineTest, AReferenceThatAgreesConsentsToAJumpAhead) {
    source_.step(1h);
    EXPECT_TRUE(look().held);
    clock_.offer_reference(source_.wall() - 900ms, source_.steady());
    source_.advance(10s);
    const ClockObservation seen = look();
    EXPECT_TRUE(seen.adopted);
    EXPECT_FALSE(seen.held);
    EXPECT_EQ(seen.offset_ms, 0);
    EXPECT_EQ(now(), source_.wall_ms());
}

TEST_F(ClockDisciplineTest, AReferenceThatDisagreesOrIsOldDoesNot) {
    source_.step(1h);
    clock_.offer_reference(source_.wall() - 1h, source_.steady());
    EXPECT_TRUE(look().held);
    clock_.offer_reference(source_.wall() + 1001ms, source_.steady());
    EXPECT_TRUE(look().held);
    clock_.offer_reference(source_.wall(), source_.steady());
    source_.advance(61s);
    EXPECT_TRUE(look().held) << "the reference is over a minute old";
}

TEST_F(ClockDisciplineTest, AReferenceNeverMovesItBack) {
    source_.step(-1h);
    clock_.offer_reference(source_.wall(), source_.steady());
    const std::int64_t before = now();
    look();
    EXPECT_EQ(now(), before);
    EXPECT_TRUE(pass(100s));
}

TEST_F(ClockDisciplineTest, WorksFarFromThePresent) {
    for (const std::int64_t wall : {std::int64_t{-1}, std::int64_t{-5'000'000'000'000}, std::int64_t{1} << 61}) {
        source_.set_wall_ms(wall);
        clock_ = ClockDiscipline(source_.wall(), source_.steady());
        source_.advance(2s);
        look();
        EXPECT_EQ(now(), wall + 2000);
    }
}

}  // namespace
}  // namespace frond::snowflake
