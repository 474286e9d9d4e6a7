#include "worker/static_keeper.hpp"

#include "worker/fake_state_file.hpp"
#include "worker/log_capture.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace frond::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using test::FakeStateFile;
using test::LogCapture;

constexpr std::int64_t start_ms = 1'700'000'000'000;

// One machine with one state file; processes live and die on it.
class StaticKeeperTest : public testing::Test {
protected:
    struct Process {
        Process(const StaticKeeper::Options& options, StateFile* file) : keeper(options, file, slot, metrics) {}

        LeaseSlot slot;
        KeeperMetrics metrics;
        StaticKeeper keeper;
    };

    void start_process() { process_ = std::make_unique<Process>(options_, no_file_ ? nullptr : &file_); }
    // The process dies without a word; what it had not synced is lost.
    void kill() {
        process_.reset();
        file_.crash();
    }
    milliseconds step() { return process_->keeper.step({now_ms_, SteadyTime(milliseconds(steady_ms_))}); }
    void advance(milliseconds by) {
        now_ms_ += by.count();
        steady_ms_ += by.count();
    }
    // Goes on as a service would, for so long.
    void run(milliseconds time) {
        while (time > 0ms) {
            const auto wait = std::min(step(), time);
            ASSERT_GT(wait, 0ms);
            advance(wait);
            time -= wait;
        }
    }
    [[nodiscard]] SnowflakeGenerator* lease() const { return process_->slot.current(); }
    [[nodiscard]] errc take_error(std::uint64_t count = 1) const { return lease()->take(now_ms_, count).error().code; }
    // Takes one ID and returns its timestamp.
    std::int64_t take() {
        auto run = lease()->take(now_ms_);
        EXPECT_TRUE(run) << run.error().detail;
        return run ? lease()->last_timestamp_ms() : 0;
    }
    [[nodiscard]] std::optional<Error> trouble() const { return process_->slot.trouble(); }

    StaticKeeper::Options options_{"frond", {}, 7};
    FakeStateFile file_;
    bool no_file_ = false;
    std::int64_t now_ms_ = start_ms;
    std::int64_t steady_ms_ = 1'000;
    std::unique_ptr<Process> process_;
    LogCapture log_;
};

TEST_F(StaticKeeperTest, StartsAtOnceOnAnEmptyDisk) {
    start_process();
    EXPECT_TRUE(trouble());
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(step(), 333ms);
    ASSERT_NE(lease(), nullptr);
    EXPECT_FALSE(trouble());
    EXPECT_EQ(lease()->worker_id(), 7);
    EXPECT_EQ(take(), start_ms);
    EXPECT_EQ(log_.count("ready, worker ID 7"), 1);
}

TEST_F(StaticKeeperTest, WritesTheWatermarkBeforeAnythingIsIssued) {
    start_process();
    step();
    const auto state = file_.state();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->watermark, start_ms + 1'000);
    EXPECT_EQ(state->use, WorkerState::Use::held);
    EXPECT_EQ(state->registry, "static");
    EXPECT_EQ(state->owner.size(), 32U);
    EXPECT_EQ(lease()->limit_ms(), state->watermark);
    EXPECT_EQ(process_->metrics.watermark_ms.value(), state->watermark);
}

TEST_F(StaticKeeperTest, MovesTheWatermarkWithTheClock) {
    start_process();
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(step(), 333ms);
        EXPECT_EQ(file_.state()->watermark, now_ms_ + 1'000);
        EXPECT_EQ(lease()->limit_ms(), now_ms_ + 1'000);
        advance(333ms);
        EXPECT_TRUE(lease()->take(now_ms_, 4096 * 600)) << "two thirds of the lead can be counted on";
        advance(700ms);
    }
}

TEST_F(StaticKeeperTest, NeverIssuesAboveTheWatermarkOnDisk) {
    start_process();
    step();
    while (auto run = lease()->take(now_ms_, 1000)) EXPECT_LE(lease()->last_timestamp_ms(), file_.state()->watermark);
    advance(500ms);
    EXPECT_EQ(take_error(4096 * 600), errc::limit_reached);
    EXPECT_LE(lease()->last_timestamp_ms(), file_.state()->watermark);
    step();
    EXPECT_TRUE(lease()->take(now_ms_, 1000));
}

// kill -9, and the disk loses what was not synced: the next process starts above all the same.
TEST_F(StaticKeeperTest, RestartAfterAKillRepeatsNothing) {
    start_process();
    run(5s);
    const std::int64_t last = take();
    kill();
    start_process();
    step();
    ASSERT_NE(lease(), nullptr) << "within the lead of the floor: at once";
    advance(100ms);
    step();
    EXPECT_GT(take(), last);
}

// Leaf #216: kill -9, clock back by 1 s, start.
TEST_F(StaticKeeperTest, KillAndClockOneSecondBackRepeatsNothing) {
    start_process();
    run(5s);
    ASSERT_TRUE(lease()->take(now_ms_, 4096 * 500));
    const std::int64_t last = lease()->last_timestamp_ms();
    kill();
    now_ms_ -= 1'000;
    start_process();
    step();
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::clock_rollback);
    run(3s);
    ASSERT_NE(lease(), nullptr);
    EXPECT_GT(take(), last);
}

// hazelcast #17975: issue, stop, clock -60 s, start.
TEST_F(StaticKeeperTest, StopAndClockAMinuteBackRefusesUntilTheClockIsMended) {
    start_process();
    run(5s);
    const std::int64_t last = take();
    process_->keeper.release(0ms);
    now_ms_ -= 60'000;
    start_process();
    run(20s);
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::clock_rollback);
    EXPECT_EQ(log_.count("ms behind"), 1) << log_.text();
    now_ms_ += 60'000;
    run(5s);
    ASSERT_NE(lease(), nullptr);
    EXPECT_FALSE(trouble());
    EXPECT_GT(take(), last);
}

TEST_F(StaticKeeperTest, ComesBackByItselfOnceTheClockHasCaughtUp) {
    start_process();
    run(5s);
    const std::int64_t last = take();
    kill();
    now_ms_ -= 60'000;
    start_process();
    run(65s);
    ASSERT_NE(lease(), nullptr);
    EXPECT_GT(take(), last);
}

TEST_F(StaticKeeperTest, WaitsForTheVeryMomentWhenTheClockIsALittleBehind) {
    start_process();
    step();
    kill();
    now_ms_ -= 3'000;  // the watermark is 4 s ahead now, and 1 s of lead is allowed
    start_process();
    std::int64_t waited = 0;
    while (lease() == nullptr) {
        const auto wait = step();
        if (lease() != nullptr) break;
        advance(wait);
        waited += wait.count();
    }
    EXPECT_EQ(waited, 3'000);
}

TEST_F(StaticKeeperTest, GracefulStopLetsTheNextStartAtTheLastTimestamp) {
    start_process();
    run(5s);
    ASSERT_TRUE(lease()->take(now_ms_, 4096 * 300));
    const std::int64_t last = lease()->last_timestamp_ms();
    process_->keeper.release(0ms);
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::draining);
    EXPECT_EQ(file_.state()->use, WorkerState::Use::released);
    EXPECT_EQ(file_.state()->watermark, last);
    start_process();
    step();
    EXPECT_EQ(take(), last + 1);
}

TEST_F(StaticKeeperTest, AnIdleProcessDoesNotLowerWhatItFound) {
    start_process();
    run(5s);
    const std::int64_t last = take();
    process_->keeper.release(0ms);
    for (int i = 0; i < 3; ++i) {
        start_process();
        step();
        ASSERT_NE(lease(), nullptr);
        process_->keeper.release(0ms);
        EXPECT_EQ(file_.state()->watermark, last) << "issued nothing, so the floor stays";
    }
}

TEST_F(StaticKeeperTest, ReleaseWithoutALeaseWritesNothing) {
    file_.set_store_error("cannot write the state file: No space left on device");
    start_process();
    step();
    file_.set_store_error("");
    process_->keeper.release(0ms);
    EXPECT_EQ(file_.stores(), 0);
    EXPECT_EQ(trouble()->code, errc::draining);
    step();
    EXPECT_EQ(lease(), nullptr) << "a stopped keeper stays stopped";
}

TEST_F(StaticKeeperTest, NoLateAnswerRevivesAClosedLease) {
    start_process();
    step();
    SnowflakeGenerator* held = lease();
    process_->keeper.release(0ms);
    EXPECT_EQ(held->take(now_ms_).error().code, errc::lease_lost);
    run(5s);
    EXPECT_EQ(held->take(now_ms_).error().code, errc::lease_lost);
}

TEST_F(StaticKeeperTest, AFullDiskStopsAtTheWatermarkAndHeals) {
    start_process();
    run(3s);
    const std::int64_t watermark = file_.state()->watermark;
    file_.set_store_error("cannot write the state file: No space left on device");
    run(30s);
    EXPECT_EQ(lease()->limit_ms(), watermark);
    EXPECT_EQ(take_error(), errc::limit_reached);
    ASSERT_TRUE(trouble());
    EXPECT_EQ(trouble()->code, errc::worker_unavailable);
    EXPECT_NE(trouble()->detail.find("No space left"), std::string::npos);
    EXPECT_EQ(log_.count("No space left"), 1);
    EXPECT_GT(process_->metrics.state_file_errors.value(), 80U);

    file_.set_store_error("");
    const auto* held = lease();
    step();
    EXPECT_EQ(lease(), held) << "still the same worker";
    EXPECT_FALSE(trouble());
    EXPECT_EQ(take(), now_ms_);
    run(12s);
    EXPECT_EQ(log_.count("in order again"), 1);
}

TEST_F(StaticKeeperTest, ADiskThatComesAndGoesIsOneTrouble) {
    start_process();
    step();
    for (int i = 0; i < 50; ++i) {
        file_.set_store_error(i % 2 == 0 ? "cannot write the state file: Input/output error" : "");
        run(400ms);
    }
    file_.set_store_error("");
    run(20s);
    EXPECT_EQ(log_.count("Input/output error"), 1);
    EXPECT_EQ(log_.count("in order again"), 1);
}

TEST_F(StaticKeeperTest, ASlowDiskLimitsButDoesNotRepeat) {
    bool slow = false;
    file_.during_store = [this, &slow] {
        if (!slow) return;
        EXPECT_LE(lease()->last_timestamp_ms(), lease()->limit_ms());
        advance(5s);
        EXPECT_EQ(take_error(), errc::limit_reached) << "the write has not come back";
    };
    start_process();
    step();
    const std::int64_t before = take();
    slow = true;
    run(30s);
    EXPECT_EQ(take_error(), errc::limit_reached) << "each watermark is old when it is committed";
    slow = false;
    run(15s);
    EXPECT_GT(take(), before);
    EXPECT_EQ(log_.count("ms late"), 1) << log_.text();
    EXPECT_EQ(log_.count("in order again"), 1) << log_.text();
}

TEST_F(StaticKeeperTest, AStateFileThatCannotBeReadIsNotTakenForNone) {
    start_process();
    run(5s);
    kill();
    now_ms_ -= 60'000;
    file_.set_load_error("cannot read the state file: Input/output error");
    start_process();
    run(30s);
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::worker_unavailable);
    file_.set_load_error("");
    run(10s);
    EXPECT_EQ(trouble()->code, errc::clock_rollback) << "the floor in it counts";
}

TEST_F(StaticKeeperTest, AFolderThatCannotBeLockedIsTriedAgain) {
    file_.set_lock_error("cannot open /fake/worker.lock: Read-only file system");
    start_process();
    EXPECT_TRUE(process_->keeper.start({}, {})) << "trouble, but not wrong configuration";
    run(30s);
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::worker_unavailable);
    EXPECT_EQ(trouble()->detail.find("/fake"), std::string::npos) << "clients see no paths";
    EXPECT_EQ(log_.count("/fake/worker.lock"), 1) << "the log does";
    file_.set_lock_error("");
    run(5s);
    EXPECT_NE(lease(), nullptr);
}

TEST_F(StaticKeeperTest, RefusesToStartBesideTheProcessThatHoldsTheLock) {
    file_.set_locked_elsewhere(true);
    start_process();
    const auto checked = process_->keeper.start({}, {});
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, errc::invalid_configuration);
    EXPECT_NE(checked.error().detail.find("snowflake.state_dir"), std::string::npos);
    EXPECT_NE(checked.error().detail.find("worker ID 7"), std::string::npos);
}

TEST_F(StaticKeeperTest, WithoutAStateFileWaitsForTheSkewAndSaysSoOnce) {
    no_file_ = true;
    start_process();
    EXPECT_TRUE(process_->keeper.start({}, {}));
    run(9'999ms);
    step();
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::worker_unavailable);
    advance(1ms);
    step();
    ASSERT_NE(lease(), nullptr);
    EXPECT_EQ(take(), now_ms_);
    run(60s);
    EXPECT_EQ(take(), now_ms_) << "no watermark limits it";
    EXPECT_EQ(log_.count("waits 10s"), 1) << log_.text();
    process_->keeper.release(0ms);
    EXPECT_EQ(file_.stores(), 0);
}

TEST_F(StaticKeeperTest, ADamagedFileIsAStartWithoutOne) {
    file_.set_damage("the checksum does not match");
    start_process();
    run(9s);
    EXPECT_EQ(lease(), nullptr);
    run(2s);
    EXPECT_NE(lease(), nullptr);
    EXPECT_EQ(log_.count("damaged and ignored"), 1);
    EXPECT_TRUE(file_.state()) << "replaced by a good one";
}

TEST_F(StaticKeeperTest, IgnoresTheFileOfAnotherNameLayoutOrWorker) {
    start_process();
    run(5s);
    const auto written = *file_.state();
    kill();
    for (int part = 0; part < 3; ++part) {
        WorkerState other = written;
        other.watermark = now_ms_ + 3'600'000;
        if (part == 0) other.name = "other";
        if (part == 1) other.layout = *SnowflakeLayout::make(0, 41, 10, 12);
        if (part == 2) other.worker_id = 8;
        file_.set_state(other);
        start_process();
        step();
        EXPECT_NE(lease(), nullptr) << part;
        EXPECT_EQ(log_.count("ignored and replaced"), part + 1);
    }
}

TEST_F(StaticKeeperTest, AFloorCountsWhateverRegistryWroteIt) {
    start_process();
    run(5s);
    WorkerState other = *file_.state();
    kill();
    other.registry = "zookeeper:a:2181/snowflake";
    other.watermark = now_ms_ + 3'600'000;
    file_.set_state(other);
    start_process();
    step();
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::clock_rollback);
}

// polaris1119 #1: the field fills up.
TEST_F(StaticKeeperTest, AFullTimestampFieldIsAnErrorOfItsOwn) {
    options_.rule.layout = *SnowflakeLayout::make(start_ms - 1'023 - 5'000 + 1'024, 12, 10, 12);
    const std::int64_t last = options_.rule.layout.last_timestamp_ms();
    now_ms_ = last - 2'000;
    start_process();
    run(1s);
    EXPECT_EQ(take(), now_ms_);
    run(2s);
    EXPECT_EQ(take_error(), errc::timestamp_exhausted);
    EXPECT_EQ(trouble()->code, errc::timestamp_exhausted);
    kill();
    start_process();
    step();
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::timestamp_exhausted);
}

TEST_F(StaticKeeperTest, AnEpochInTheFutureHealsWithTheClock) {
    options_.rule.layout = *SnowflakeLayout::make(start_ms + 3'600'000, 41, 10, 12);
    start_process();
    run(10s);
    EXPECT_EQ(lease(), nullptr);
    EXPECT_EQ(trouble()->code, errc::clock_rollback);
    now_ms_ += 3'600'000;
    run(5s);
    EXPECT_NE(lease(), nullptr);
}

}  // namespace
}  // namespace frond::worker
