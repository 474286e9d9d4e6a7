// The keeper with its own threads, over a registry in memory and a disk that misbehaves.
#include "worker/lease_keeper.hpp"

#include "base/clock.hpp"
#include "support/fake_registry.hpp"
#include "worker/fake_state_file.hpp"
#include "worker/log_capture.hpp"
#include "worker/random_id.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace frond::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using test::FakeRegistry;
using test::FakeStateFile;
using test::FakeStore;

bool eventually(const std::function<bool()>& condition) {
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

LeaseOptions options_for(const std::string& identity) {
    LeaseOptions options;
    options.space = *make_space({}, 0, 0);
    options.identity = identity;
    options.new_id = random_id;
    options.heartbeat = 20ms;
    options.max_ahead = 100ms;
    return options;
}

// Hangs in write() while it is told to.
class HangingRegistry final : public WorkerRegistry {
public:
    explicit HangingRegistry(WorkerRegistry& below) : below_(below) {}
    [[nodiscard]] std::string describe() const override { return below_.describe(); }
    RegistryResult<Survey> survey() override { return below_.survey(); }
    RegistryResult<Created> create(const LeaseRecord& record) override { return below_.create(record); }
    RegistryResult<Written> write(std::int64_t number, std::int64_t version, const LeaseRecord& record) override {
        while (hangs.load()) {
            hanging = true;
            std::this_thread::sleep_for(1ms);
        }
        return below_.write(number, version, record);
    }
    RegistryResult<Found> read(std::int64_t number) override { return below_.read(number); }
    RegistryResult<Found> find(const LeaseRecord& created) override { return below_.find(created); }
    void cancel() noexcept override { below_.cancel(); }

    std::atomic<bool> hangs{false};
    std::atomic<bool> hanging{false};

private:
    WorkerRegistry& below_;
};

// A process: a keeper, and what a service would do for it.
class Process {
public:
    Process(const std::shared_ptr<FakeStore>& store, const LeaseOptions& options, StateFile* file = nullptr)
        : fake_(store, options.name, options.space, options.identity),
          registry(fake_),
          keeper_(std::make_unique<LeaseKeeper>(options, registry, file, slot, metrics)) {
        EXPECT_TRUE(keeper_->start([] { return now(); }, [] {}));
        service_ = std::thread([this] {
            while (!ending_.load()) {
                keeper_->step(now());
                std::this_thread::sleep_for(5ms);
            }
        });
    }
    ~Process() { kill(); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Dies without a word.
    void kill() {
        end_service();
        keeper_.reset();
    }
    bool release(milliseconds patience = 10s) {
        end_service();
        return keeper_->release(patience);
    }
    [[nodiscard]] bool ready() const { return slot.current() != nullptr; }
    [[nodiscard]] std::int64_t worker_id() const {
        return slot.current() == nullptr ? -1 : slot.current()->worker_id();
    }
    [[nodiscard]] Result<TickRun> take() const { return slot.current()->take(now().now_ms); }
    // The next ID, waiting for fence and watermark if need be.
    [[nodiscard]] std::int64_t next_id() const {
        std::int64_t id = -1;
        EXPECT_TRUE(eventually([&] {
            SnowflakeGenerator* lease = slot.current();
            if (lease == nullptr) return false;
            if (const auto run = lease->take(now().now_ms)) id = lease->id(run->first);
            return id >= 0;
        }));
        return id;
    }

    static Moment now() {
        const SystemClock clock;
        return {unix_ms(clock.wall()), clock.steady()};
    }

private:
    void end_service() {
        ending_ = true;
        if (service_.joinable()) service_.join();
    }

    FakeRegistry fake_;

public:
    HangingRegistry registry;
    LeaseSlot slot;
    KeeperMetrics metrics;

private:
    std::unique_ptr<LeaseKeeper> keeper_;
    std::atomic<bool> ending_{false};
    std::thread service_;
};

class LeaseKeeperTest : public testing::Test {
protected:
    [[nodiscard]] std::size_t records() const {
        const auto state = store_->snapshot();
        const auto name = state.find("frond");
        return name == state.end() ? 0 : name->second.rows.size();
    }
    [[nodiscard]] LeaseRecord record(std::int64_t number) const {
        return *parse_record(store_->snapshot().at("frond").rows.at(number).text);
    }
    // Another instance writes the record, whatever its fence.
    void steal(std::int64_t number) const {
        FakeRegistry thief(store_, "frond", *make_space({}, 0, 0), "thief");
        ASSERT_TRUE(eventually([&] {
            const auto row = store_->snapshot().at("frond").rows.at(number);
            LeaseRecord taken = *parse_record(row.text);
            taken.owner = random_id();
            taken.write = random_id();
            taken.identity = "thief";
            return std::holds_alternative<Written>(thief.write(number, row.version, taken));
        }));
    }

    std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
    test::LogCapture log_;
};

TEST_F(LeaseKeeperTest, TwelveAtOnceGetTwelveNumbersAndNoIdTwice) {
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < 12; ++i) {
        processes.push_back(std::make_unique<Process>(store_, options_for(fmt::format("instance {}", i))));
    }
    std::set<std::int64_t> numbers;
    std::set<std::int64_t> ids;
    for (const auto& process : processes) {
        ASSERT_TRUE(eventually([&] { return process->ready(); }));
        numbers.insert(process->worker_id());
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(ids.insert(process->next_id()).second);
    }
    EXPECT_EQ(numbers.size(), 12U);
    EXPECT_EQ(*numbers.rbegin(), 11) << "numbers are dense";
    for (const auto& process : processes) EXPECT_TRUE(process->release());
}

TEST_F(LeaseKeeperTest, AReleasedNumberIsFreeAtOnce) {
    std::int64_t last = 0;
    for (int i = 0; i < 20; ++i) {
        Process process(store_, options_for(fmt::format("new identity {}", i)));
        const std::int64_t id = process.next_id();
        EXPECT_GT(id, last);
        last = id;
        EXPECT_EQ(process.worker_id(), 0);
        EXPECT_TRUE(process.release());
        EXPECT_EQ(record(0).state, LeaseState::released);
    }
    EXPECT_EQ(records(), 1U);
}

TEST_F(LeaseKeeperTest, AKilledOwnerIsResumedByItsStateFile) {
    FakeStateFile file;
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        Process process(store_, options_for("me"), &file);
        const std::int64_t id = process.next_id();
        EXPECT_GT(id, last);
        // A burst: IDs run ahead of the clock.
        for (int n = 0; n < 10'000; ++n) {
            if (const auto run = process.take()) last = process.slot.current()->id(run->first);
        }
        EXPECT_EQ(process.worker_id(), 0);
        process.kill();
    }
    EXPECT_EQ(records(), 1U);
}

TEST_F(LeaseKeeperTest, StartsAndGoesOnWithTheRegistryAway) {
    FakeStateFile file;
    {
        Process process(store_, options_for("me"), &file);
        (void)process.next_id();
        process.kill();
    }
    store_->set_available(false);
    Process process(store_, options_for("me"), &file);
    const std::int64_t first = process.next_id();
    EXPECT_GT(process.next_id(), first);
    EXPECT_EQ(process.metrics.registry_up.value(), 0);
    const std::string owner = record(0).owner;
    store_->set_available(true);
    EXPECT_TRUE(eventually([&] { return record(0).owner != owner; })) << "the record is taken back";
    EXPECT_GT(process.next_id(), first);
    EXPECT_EQ(process.metrics.leases_lost.value(), 0U);
    EXPECT_TRUE(process.release());
}

TEST_F(LeaseKeeperTest, AnOwnerThatWasOvertakenGoesOnWithAnotherNumber) {
    Process process(store_, options_for("me"));
    (void)process.next_id();
    SnowflakeGenerator* old = process.slot.current();
    steal(0);
    EXPECT_TRUE(eventually([&] { return old->closed(); }));
    EXPECT_TRUE(eventually([&] { return process.worker_id() == 1; }));
    EXPECT_EQ(process.metrics.leases_lost.value(), 1U);
    EXPECT_EQ(log_.count("lost worker ID 0"), 1);
    EXPECT_TRUE(process.release());
    EXPECT_EQ(record(0).identity, "thief");
}

TEST_F(LeaseKeeperTest, LostRepliesAndLateWritesCostNothing) {
    Process process(store_, options_for("me"));
    (void)process.next_id();
    for (int i = 0; i < 20; ++i) {
        const std::int64_t fence = process.metrics.fence_ms.value();
        if (i % 2 == 0)
            store_->lose_replies(1);
        else
            store_->delay_changes(1);
        EXPECT_TRUE(eventually([&] { return process.metrics.fence_ms.value() > fence; }));
        store_->land();
        (void)process.next_id();
    }
    EXPECT_EQ(process.metrics.leases_lost.value(), 0U);
    EXPECT_EQ(process.worker_id(), 0);
    EXPECT_TRUE(process.release());
}

TEST_F(LeaseKeeperTest, ARegistryThatHangsDoesNotStopTheWatermark) {
    FakeStateFile file;
    Process process(store_, options_for("me"), &file);
    (void)process.next_id();
    process.registry.hangs = true;
    ASSERT_TRUE(eventually([&] { return process.registry.hanging.load(); }));
    const std::int64_t watermark = process.metrics.watermark_ms.value();
    EXPECT_TRUE(eventually([&] { return process.metrics.watermark_ms.value() > watermark + 500; }));
    (void)process.next_id();
    EXPECT_FALSE(process.release(50ms)) << "a call hangs";
    EXPECT_TRUE(process.slot.current() == nullptr) << "but nothing is issued any more";
    process.registry.hangs = false;
}

TEST_F(LeaseKeeperTest, ADiskThatHangsDoesNotStopTheHeartbeats) {
    FakeStateFile file;
    std::atomic<bool> hangs{false};
    std::atomic<bool> hanging{false};
    file.during_store = [&] {
        while (hangs.load()) {
            hanging = true;
            std::this_thread::sleep_for(1ms);
        }
    };
    Process process(store_, options_for("me"), &file);
    (void)process.next_id();
    hangs = true;
    ASSERT_TRUE(eventually([&] { return hanging.load(); }));
    const std::uint64_t beats = process.metrics.heartbeats.value();
    EXPECT_TRUE(eventually([&] { return process.metrics.heartbeats.value() > beats + 5; }));
    // After a while it counts as broken: another number, without a state file.
    EXPECT_TRUE(eventually([&] { return process.worker_id() == 1; }));
    (void)process.next_id();
    EXPECT_EQ(record(0).state, LeaseState::held) << "left as it stands";
    hangs = false;
    EXPECT_TRUE(process.release());
}

TEST_F(LeaseKeeperTest, AFullDiskMeansAnotherNumberWithoutAFile) {
    FakeStateFile file;
    Process process(store_, options_for("me"), &file);
    (void)process.next_id();
    file.set_store_error("disk full");
    EXPECT_TRUE(eventually([&] { return process.worker_id() == 1; }));
    (void)process.next_id();
    EXPECT_GT(process.metrics.state_file_errors.value(), 0U);
    EXPECT_TRUE(process.release());
    EXPECT_EQ(record(1).state, LeaseState::released);
    EXPECT_EQ(file.state()->worker_id, 0);
    EXPECT_EQ(file.state()->use, WorkerState::Use::held);
}

TEST_F(LeaseKeeperTest, RunsWithoutAFileThatAnotherProcessHolds) {
    FakeStateFile file;
    file.set_locked_elsewhere(true);
    Process process(store_, options_for("me"), &file);
    (void)process.next_id();
    EXPECT_EQ(file.stores(), 0);
    EXPECT_EQ(log_.count("runs without a state file"), 1);
    EXPECT_TRUE(process.release());
}

TEST_F(LeaseKeeperTest, ADiskThatHangsAtTheStartMeansALeaseWithoutAFile) {
    FakeStateFile file;
    std::atomic<bool> hangs{true};
    file.during_lock = [&hangs] {
        while (hangs.load()) std::this_thread::sleep_for(1ms);
    };
    Process process(store_, options_for("me"), &file);
    EXPECT_GE(process.next_id(), 0);
    EXPECT_EQ(log_.count("the state directory does not answer"), 1);
    hangs = false;
    (void)process.next_id();
    EXPECT_EQ(file.stores(), 0) << "it stays without";
    EXPECT_TRUE(process.release());
}

// Also a file whose lock cannot be had forbids what it says.
TEST_F(LeaseKeeperTest, AFileOfAnotherProcessIsStillAFloor) {
    FakeStateFile file;
    const std::int64_t watermark = Process::now().now_ms + 300;
    file.set_state(
        {"frond", {}, "another registry", 0, "somebody", WorkerState::Use::held, watermark, std::nullopt, {}});
    file.set_locked_elsewhere(true);
    Process process(store_, options_for("me"), &file);
    (void)process.next_id();
    EXPECT_EQ(process.worker_id(), 0);
    EXPECT_GT(process.slot.current()->last_timestamp_ms(), watermark);
    EXPECT_TRUE(process.release());
}

TEST_F(LeaseKeeperTest, StoppingWhileTheRegistryIsAwayIsQuick) {
    Process process(store_, options_for("me"));
    (void)process.next_id();
    store_->set_available(false);
    EXPECT_TRUE(eventually([&] { return process.metrics.registry_up.value() == 0; }));
    EXPECT_TRUE(process.release());
    EXPECT_EQ(record(0).state, LeaseState::held);
}

TEST_F(LeaseKeeperTest, StopRightAfterTheStartLeavesNoNumberBlocked) {
    for (int i = 0; i < 50; ++i) {
        Process process(store_, options_for(fmt::format("instance {}", i)));
        EXPECT_TRUE(process.release());
    }
    const auto state = store_->snapshot();
    const auto name = state.find("frond");
    if (name == state.end()) return;
    for (const auto& [number, row] : name->second.rows) {
        EXPECT_EQ(parse_record(row.text)->state, LeaseState::released) << number;
    }
}

// Takers on several threads while leases come and go.
TEST_F(LeaseKeeperTest, NoIdTwiceWhileTheLeaseIsStolenAgainAndAgain) {
    Process process(store_, options_for("me"));
    ASSERT_TRUE(eventually([&] { return process.ready(); }));
    std::atomic<bool> stop{false};
    std::vector<std::vector<std::int64_t>> taken(3);
    std::vector<std::thread> takers;
    for (auto& mine : taken) {
        takers.emplace_back([&process, &stop, &mine] {
            while (!stop.load()) {
                SnowflakeGenerator* lease = process.slot.current();
                if (lease == nullptr) continue;
                if (const auto run = lease->take(Process::now().now_ms)) mine.push_back(lease->id(run->first));
                std::this_thread::yield();
            }
        });
    }
    for (int i = 0; i < 5; ++i) {
        const std::int64_t held = process.worker_id();
        steal(held);
        EXPECT_TRUE(eventually([&] { return process.ready() && process.worker_id() != held; }));
    }
    stop = true;
    for (std::thread& taker : takers) taker.join();
    std::set<std::int64_t> all;
    std::size_t count = 0;
    for (const auto& mine : taken) {
        count += mine.size();
        all.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(all.size(), count);
    EXPECT_GT(count, 0U);
    EXPECT_TRUE(process.release());
}

}  // namespace
}  // namespace frond::worker
