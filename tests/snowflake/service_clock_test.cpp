// The clock rows of reference/scenarios: faults that users of other ID services have met.
#include "snowflake/service_fixture.hpp"

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;

class ServiceClockTest : public ServiceFixture {};

// bwmarrin/snowflake #20: 149 duplicates after a 5 ms step back.
TEST_F(ServiceClockTest, FiveMillisecondsBackRepeatNothing) {
    begin();
    take(1000);
    clock_.step(-5ms);
    take(1000);
    look();
    take(1000);
    expect_distinct();
    EXPECT_TRUE(std::is_sorted(ids_.begin(), ids_.end()));
    EXPECT_EQ(metrics_->clock_steps_back.value(), 1U);
}

// hazelcast #17975: duplicates after a restart with the clock set back by more than the downtime.
TEST_F(ServiceClockTest, RestartWithTheClockAMinuteBackRefuses) {
    begin();
    pass(2s);
    take(1000);
    stop();
    clock_.step(-60s);
    begin();
    EXPECT_EQ(try_take().error().code, errc::clock_rollback);
    EXPECT_FALSE(service_->status().ready);
    EXPECT_NE(service_->status().reason.find("ms behind"), std::string::npos) << service_->status().reason;
    EXPECT_EQ(finish(start_take(1)).error().code, errc::clock_rollback) << "at once, not after refill_timeout";
    EXPECT_EQ(metrics_->waits.value(), 0U);
    clock_.step(60s);
    pass(5s);
    take(1000);
    expect_distinct();
}

// hutool #1724: a thread spins for ever after a large step back.
TEST_F(ServiceClockTest, AnHourBackDoesNotHoldUpACall) {
    begin();
    take(10);
    clock_.step(-1h);
    const auto held = finish(start_take(1));
    ASSERT_TRUE(held);
    ids_.push_back(held->id(0));
    look();
    const auto again = finish(start_take(1));
    ASSERT_TRUE(again);
    ids_.push_back(again->id(0));
    expect_distinct();
}

TEST_F(ServiceClockTest, AnHourBackIsRefusedAtOnceWithReject) {
    options_.on_clock_rollback = ClockRollback::reject;
    begin();
    take(10);
    clock_.step(-1h);
    const auto refused = finish(start_take(1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::clock_rollback);
    EXPECT_EQ(metrics_->waits.value(), 0U);
    EXPECT_EQ(metrics_->refused.value(), 1U);
}

TEST_F(ServiceClockTest, NewsForOthersDoesNotCutTheWaitOfRejectShort) {
    options_.on_clock_rollback = ClockRollback::reject;
    begin();
    take(10);
    clock_.step(-5ms);
    std::shared_ptr<Pending> pending;
    // The wait is of real time, and a busy machine may miss it: one wait that outlives the news is enough.
    for (int i = 0; i < 1000 && (!pending || pending->result); ++i) {
        pending = start_take(1);
        look();  // wakes all
        io_.restart();
        io_.poll();
    }
    ASSERT_FALSE(pending->result);
    clock_.advance(5ms);
    const auto taken = finish(pending);
    ASSERT_TRUE(taken) << taken.error().detail;
    ids_.push_back(taken->id(0));
    expect_distinct();
}

// otoroshi #38: minutes of errors after an NTP step.
TEST_F(ServiceClockTest, HalfAMinuteBackUnderLoadGivesNoError) {
    begin();
    for (int i = 0; i < 90'000; i += 30) {
        if (i == 3'000) clock_.step(-30s);
        take(3);
        pass(30ms);
    }
    expect_distinct();
    EXPECT_EQ(log_.count("set back by 30000 ms"), 1);
    EXPECT_TRUE(service_->status().ready);
    EXPECT_NE(service_->status().reason, "") << "but with a warning";
}

TEST_F(ServiceClockTest, HalfAMinuteBackWithRejectRefusesForThatLong) {
    options_.on_clock_rollback = ClockRollback::reject;
    begin();
    pass(3s);
    take(10);
    clock_.step(-30s);
    std::int64_t refused_ms = 0;
    while (!try_take()) {
        pass(10ms);
        refused_ms += 10;
        ASSERT_LE(refused_ms, 31'000);
        if (refused_ms == 10'000) {
            EXPECT_FALSE(service_->status().ready);
            EXPECT_NE(service_->status().reason.find("behind the last ID"), std::string::npos);
            EXPECT_LE(file_.state()->watermark, timestamp(ids_.back()) + 1'000)
                << "a restart now must not wait for more";
        }
    }
    EXPECT_EQ(refused_ms, 30'000);
    take(1000);
    pass(3s);
    take(1000);
    expect_distinct();
    EXPECT_TRUE(service_->status().ready);
    EXPECT_EQ(service_->status().reason, "");
    EXPECT_LE(std::abs(timestamp(ids_.back()) - clock_.wall_ms()), 1'000) << "IDs are by the wall clock again";
    EXPECT_EQ(log_.count("IDs are refused until it has caught up"), 1) << log_.text();
    EXPECT_EQ(log_.count("in order again"), 1);
}

// dotnetcore/CAP #1050: operators turned NTP off.
TEST_F(ServiceClockTest, AThousandSmallStepsBackRepeatAndRefuseNothing) {
    begin();
    for (int i = 0; i < 1000; ++i) {
        take(5);
        clock_.step(-10ms);
        take(5);
        pass(100ms);
    }
    expect_distinct();
    EXPECT_TRUE(std::is_sorted(ids_.begin(), ids_.end()));
    EXPECT_LE(log_.count("Clock"), 11) << "one line in 10 s";
}

TEST_F(ServiceClockTest, AThousandSmallStepsBackRepeatNothingWithReject) {
    options_.on_clock_rollback = ClockRollback::reject;
    begin();
    for (int i = 0; i < 1000; ++i) {
        take(5);
        clock_.step(-10ms);
        EXPECT_EQ(try_take().error().code, errc::clock_rollback);
        pass(100ms);
    }
    expect_distinct();
}

// tidb #5709, pd #6768: one jump far ahead was persisted and poisoned the future.
TEST_F(ServiceClockTest, AJumpAheadPoisonsNothing) {
    constexpr auto ten_years = milliseconds(std::chrono::hours(24 * 3652));
    for (const auto policy : {ClockRollback::hold, ClockRollback::reject}) {
        for (const auto jump : {milliseconds(1h), ten_years}) {
            options_.on_clock_rollback = policy;
            begin();
            take(10);
            clock_.step(jump);
            pass(60s);
            take(10);
            EXPECT_LT(timestamp(ids_.back()), clock_.wall_ms() - jump.count() + 1'001);
            clock_.step(-jump);
            pass(1s);
            take(10);
            kill();
            begin();
            pass(1s);
            take(10);
            stop();
        }
    }
    expect_distinct();
}

// polaris1119 #1: the timestamp field overflows, IDs turn negative.
TEST_F(ServiceClockTest, AFullTimestampFieldIsAnError) {
    const int bits = 41;
    const std::int64_t last = clock_.wall_ms() + 5'000;
    options_.layout = *SnowflakeLayout::make(last - (std::int64_t{1} << bits) + 1, bits, 10, 12);
    begin();
    pass(4s);
    take(100);
    pass(2s);
    EXPECT_EQ(try_take().error().code, errc::timestamp_exhausted);
    EXPECT_EQ(finish(start_take(1)).error().code, errc::timestamp_exhausted);
    EXPECT_FALSE(service_->status().ready);
    for (const std::int64_t id : ids_) EXPECT_GT(id, 0);
    stop();
    begin();
    EXPECT_EQ(finish(start_take(1)).error().code, errc::timestamp_exhausted);
}

TEST_F(ServiceClockTest, AnEpochInTheFutureIsAClockThatIsBehind) {
    options_.layout = *SnowflakeLayout::make(clock_.wall_ms() + 60'000, 41, 10, 12);
    begin();
    EXPECT_EQ(finish(start_take(1)).error().code, errc::clock_rollback);
    EXPECT_NE(service_->status().reason.find("before the layout's epoch"), std::string::npos);
    pass(70s);
    take(1);
}

// Leaf #216: restart with a clock 1 s back repeats IDs, as its timestamp is stored every 3 s.
TEST_F(ServiceClockTest, KillAndOneSecondBackRepeatsNothing) {
    begin();
    for (int i = 0; i < 20; ++i) {
        use_up();
        kill();
        clock_.step(-1s);
        begin();
        pass(2s);
        take(10);
    }
    expect_distinct();
}

TEST_F(ServiceClockTest, AClockMendedBeforeTheFirstIdCountsAtOnce) {
    clock_.set_wall_ms(0);  // a machine that boots without a clock: before Leaf's epoch
    begin();
    EXPECT_FALSE(service_->status().ready);
    clock_.set_wall_ms(test::FakeClock::start_ms);
    pass(5s);
    take(1);
    EXPECT_EQ(timestamp(ids_.back()), clock_.wall_ms());
}

}  // namespace
}  // namespace frond::snowflake
