#include "segment/store_health.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace frond::segment {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Turn = StoreHealth::Turn;

constexpr SteadyTime start{seconds(1000)};

TEST(Backoff, DoublesFrom50MsTo5SWithJitter) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Backoff backoff(seed);
        std::chrono::nanoseconds whole = milliseconds(50);
        for (int i = 0; i < 20; ++i) {
            const auto delay = backoff.next();
            ASSERT_GE(delay, whole / 2);
            ASSERT_LE(delay, whole);
            whole = std::min<std::chrono::nanoseconds>(whole * 2, seconds(5));
        }
        backoff.reset();
        ASSERT_LE(backoff.next(), milliseconds(50));
    }
}

TEST(Backoff, DiffersBetweenInstances) { EXPECT_NE(Backoff(1).next(), Backoff(2).next()); }

TEST(StoreHealth, LetsAllCallsThroughWhileHealthy) {
    StoreHealth health(1);
    EXPECT_EQ(health.ask(start), Turn::call);
    EXPECT_EQ(health.ask(start), Turn::call);
    EXPECT_FALSE(health.away());
    EXPECT_FALSE(health.next_probe());
    EXPECT_FALSE(health.succeeded(start)) << "no trouble ends";
}

TEST(StoreHealth, LetsOneProbeThroughAtATime) {
    StoreHealth health(1);
    EXPECT_TRUE(health.failed(Turn::call, start));
    EXPECT_FALSE(health.failed(Turn::call, start)) << "begins once";
    ASSERT_TRUE(health.next_probe());
    EXPECT_EQ(health.ask(start), Turn::wait);
    const SteadyTime due = *health.next_probe();
    EXPECT_GE(due, start + milliseconds(25));
    EXPECT_LE(due, start + milliseconds(50));
    EXPECT_EQ(health.ask(due), Turn::probe);
    EXPECT_EQ(health.ask(due + seconds(100)), Turn::wait);
    EXPECT_FALSE(health.next_probe());
}

// Calls begun before the trouble, or that were never made, do not stand for the prober.
TEST(StoreHealth, OnlyTheProberEndsAProbe) {
    StoreHealth health(1);
    health.failed(Turn::call, start);
    ASSERT_EQ(health.ask(start + seconds(1)), Turn::probe);
    EXPECT_FALSE(health.failed(Turn::call, start + seconds(1)));
    health.release(Turn::call);
    EXPECT_EQ(health.ask(start + seconds(60)), Turn::wait);
    health.release(Turn::probe);
    EXPECT_EQ(health.ask(start + seconds(60)), Turn::probe);
}

TEST(StoreHealth, BacksOffWithEachProbeThatFails) {
    StoreHealth health(7);
    health.failed(Turn::call, start);
    SteadyTime now = start;
    for (int i = 0; i < 12; ++i) {
        now = *health.next_probe();
        ASSERT_EQ(health.ask(now), Turn::probe);
        EXPECT_FALSE(health.failed(Turn::probe, now));
    }
    EXPECT_GE(*health.next_probe() - now, milliseconds(2500));
    EXPECT_LE(*health.next_probe() - now, seconds(5));
}

TEST(StoreHealth, SuccessEndsTheTroubleAndTellsItsLength) {
    StoreHealth health(1);
    health.failed(Turn::call, start);
    health.failed(Turn::call, start);
    ASSERT_EQ(health.ask(start + seconds(3)), Turn::probe);
    const auto outage = health.succeeded(start + seconds(4));
    ASSERT_TRUE(outage);
    EXPECT_EQ(outage->lasted, seconds(4));
    EXPECT_EQ(outage->failures, 2U);
    EXPECT_FALSE(health.away());
    EXPECT_EQ(health.ask(start + seconds(4)), Turn::call);
    EXPECT_TRUE(health.failed(Turn::call, start + seconds(5)));
    EXPECT_LE(*health.next_probe(), start + seconds(5) + milliseconds(50)) << "the back-off begins anew";
}

}  // namespace
}  // namespace frond::segment
