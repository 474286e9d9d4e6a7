#include "snowflake/service_fixture.hpp"

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;

class ServiceTakeTest : public ServiceFixture {};

TEST_F(ServiceTakeTest, GivesIdsOfItsWorkerAndTheClock) {
    worker_id_ = 39;
    begin();
    const auto run = try_take(3);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->count, 3U);
    for (std::uint64_t i = 0; i < 3; ++i) {
        const auto parts = options_.layout.decode(run->id(i));
        ASSERT_TRUE(parts);
        EXPECT_EQ(parts->worker_id, 39);
        EXPECT_EQ(parts->timestamp_ms, clock_.wall_ms());
    }
    EXPECT_EQ(metrics_->ids_issued.value(), 3U);
    EXPECT_EQ(metrics_->worker_id.value(), 39);
    EXPECT_EQ(metrics_->ready.value(), 1);
    EXPECT_TRUE(service_->status().ready);
    EXPECT_EQ(service_->status().worker_id, 39);
    EXPECT_EQ(service_->status().reason, "");
}

TEST_F(ServiceTakeTest, RefusesCountsThatCanNeverFit) {
    begin();
    EXPECT_EQ(service_->max_take(), 667U * 4096U);
    EXPECT_GT(service_->max_take(), 100'000U) << "the default of server.max_batch";
    for (const std::uint64_t count : {std::uint64_t{0}, service_->max_take() + 1, UINT64_MAX}) {
        const auto refused = finish(start_take(count));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, errc::invalid_count);
        EXPECT_NE(refused.error().detail.find(std::to_string(667 * 4096)), std::string::npos);
    }
    EXPECT_EQ(metrics_->waits.value(), 0U);
}

TEST_F(ServiceTakeTest, ItsLargestTakeFitsAtAnyMoment) {
    begin();
    for (int i = 0; i < 50; ++i) {
        pass(2s + milliseconds(i * 7));
        EXPECT_TRUE(try_take(service_->max_take())) << i;
    }
}

TEST_F(ServiceTakeTest, WaitsForTheWatermarkAndIsWokenByIt) {
    begin();
    use_up();
    EXPECT_EQ(try_take().error().code, errc::limit_reached);
    const auto one = start_take(1);
    const auto many = start_take(100'000);
    EXPECT_FALSE(one->result);
    EXPECT_FALSE(many->result);
    pass(333ms);
    const auto first = finish(one);
    const auto second = finish(many);
    ASSERT_TRUE(first) << first.error().detail;
    ASSERT_TRUE(second) << second.error().detail;
    ids_.push_back(first->id(0));
    for (std::uint64_t i = 0; i < second->count; ++i) ids_.push_back(second->id(i));
    expect_distinct();
    EXPECT_EQ(metrics_->waits.value(), 2U);
    EXPECT_EQ(metrics_->refused.value(), 0U);
}

TEST_F(ServiceTakeTest, WithoutAStateFileWaitsForTheClock) {
    no_file_ = true;
    begin();
    EXPECT_EQ(finish(start_take(1)).error().code, errc::worker_unavailable) << "not before max_clock_skew";
    pass(10s);
    use_up();
    EXPECT_EQ(try_take().error().code, errc::snowflake_overloaded);
    const auto pending = start_take(1000);
    EXPECT_FALSE(pending->result);
    const auto run = finish(pending, [this] { clock_.advance(1ms); });
    ASSERT_TRUE(run) << run.error().detail;
    ids_.push_back(run->id(0));
    expect_distinct();
}

TEST_F(ServiceTakeTest, IsOverloadedWhenTheClockDoesNotReachItInTime) {
    no_file_ = true;
    options_.refill_timeout = 30ms;
    begin();
    pass(10s);
    use_up();
    EXPECT_EQ(finish(start_take(1)).error().code, errc::snowflake_overloaded);
    EXPECT_EQ(metrics_->waits.value(), 1U);
    EXPECT_EQ(metrics_->refused.value(), 1U);
}

TEST_F(ServiceTakeTest, IsOverloadedWhenTheWatermarkDoesNotMoveInTime) {
    options_.refill_timeout = 30ms;
    begin();
    use_up();
    EXPECT_EQ(finish(start_take(1)).error().code, errc::snowflake_overloaded);
}

TEST_F(ServiceTakeTest, DoesNotWaitForADiskKnownToFail) {
    begin();
    file_.set_store_error("cannot write the state file: No space left on device");
    pass(3s);
    EXPECT_EQ(finish(start_take(1)).error().code, errc::worker_unavailable);
    EXPECT_EQ(metrics_->waits.value(), 0U);
    EXPECT_FALSE(service_->status().ready);
    EXPECT_EQ(metrics_->ready.value(), 0);
    EXPECT_GT(metrics_->keeper.state_file_errors.value(), 0U);
    file_.set_store_error("");
    pass(1s);
    EXPECT_TRUE(try_take());
    EXPECT_TRUE(service_->status().ready);
}

TEST_F(ServiceTakeTest, IsNotReadyWhileASlowDiskHoldsTheWatermark) {
    begin();
    clock_.advance(1001ms);  // no step came in time: the disk is busy
    EXPECT_FALSE(service_->status().ready);
    EXPECT_EQ(try_take().error().code, errc::limit_reached);
    look();
    EXPECT_TRUE(service_->status().ready);
}

TEST_F(ServiceTakeTest, StopEndsWaitsAndMarksTheFile) {
    begin();
    use_up();
    const auto waiting = start_take(1);
    EXPECT_FALSE(waiting->result);
    service_->stop(milliseconds(5'000));
    EXPECT_EQ(finish(waiting).error().code, errc::draining);
    EXPECT_EQ(try_take().error().code, errc::draining);
    EXPECT_EQ(file_.state()->use, worker::WorkerState::Use::released);
    EXPECT_EQ(file_.state()->watermark, timestamp(ids_.back()));
    EXPECT_FALSE(service_->status().ready);
    EXPECT_EQ(service_->status().worker_id, -1);
    EXPECT_EQ(metrics_->worker_id.value(), -1);
    service_->stop(milliseconds(5'000));
    EXPECT_EQ(file_.state()->watermark, timestamp(ids_.back())) << "a second stop does nothing";
}

TEST_F(ServiceTakeTest, ACallerMayGoAwayWhileItWaits) {
    begin();
    use_up();
    {
        boost::asio::io_context short_lived(1);
        EXPECT_FALSE(start_take(1, short_lived)->result);
    }
    pass(1s);
    EXPECT_TRUE(try_take());
}

TEST_F(ServiceTakeTest, RejectWaitsFiveMillisecondsAndNoMore) {
    options_.on_clock_rollback = ClockRollback::reject;
    options_.refill_timeout = 1h;
    begin();
    take(10);
    clock_.step(-5ms);
    EXPECT_EQ(try_take().error().code, errc::clock_rollback);
    const auto patient = start_take(1);
    EXPECT_FALSE(patient->result) << "it waits";
    clock_.advance(5ms);
    const auto run = finish(patient);
    ASSERT_TRUE(run) << run.error().detail;
    ids_.push_back(run->id(0));
    expect_distinct();

    clock_.step(-5ms);
    EXPECT_EQ(finish(start_take(1)).error().code, errc::clock_rollback) << "the clock stands still: one wait";
    EXPECT_EQ(metrics_->waits.value(), 2U);
    clock_.step(-1ms);
    EXPECT_EQ(finish(start_take(1)).error().code, errc::clock_rollback);
    EXPECT_EQ(metrics_->waits.value(), 2U) << "over 5 ms: no wait";
}

TEST_F(ServiceTakeTest, ManyWaitersAllGetTheirs) {
    begin();
    use_up();
    std::vector<std::shared_ptr<Pending>> pending;
    for (int i = 0; i < 2'000; ++i) pending.push_back(start_take(4'096));
    for (const auto& each : pending) {
        const auto run = finish(each, [this] { pass(50ms); });
        ASSERT_TRUE(run) << run.error().detail;
        ids_.push_back(run->id(0));
    }
    expect_distinct();
}

}  // namespace
}  // namespace frond::snowflake
