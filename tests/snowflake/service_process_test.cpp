// The service with its own thread, the machine's clocks and real files.
#include "snowflake/service.hpp"

#include "snowflake/fake_clock.hpp"
#include "worker/fake_state_file.hpp"
#include "worker/log_capture.hpp"
#include "worker/state_directory.hpp"
#include "worker/state_file.hpp"
#include "worker/static_keeper.hpp"
#include "worker/temp_directory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;
using test::TempDirectory;

// A process, over a state file of whatever kind.
struct Process {
    explicit Process(worker::StateFile& file, SnowflakeOptions options = {}, std::int64_t worker_id = 0)
        : keeper({"frond", {options.layout, options.max_ahead.count(), 10'000}, worker_id}, &file, slot,
                 metrics.keeper),
          service(with_file(options), clock, slot, keeper, metrics) {}

    static SnowflakeOptions with_file(SnowflakeOptions options) {
        options.state_file = true;
        return options;
    }

    SystemClock clock;
    SnowflakeMetrics metrics;
    worker::LeaseSlot slot;
    worker::StaticKeeper keeper;
    SnowflakeService service;
};

// A process and what it has on its disk.
struct Disk {
    explicit Disk(const std::filesystem::path& path) : directory(path), file(directory) {}
    worker::StateDirectory directory;
    worker::JsonStateFile file;
};
struct Instance : Disk, Process {
    explicit Instance(const std::filesystem::path& path, SnowflakeOptions options = {}, std::int64_t worker_id = 0)
        : Disk(path), Process(file, options, worker_id) {}
};

bool eventually(const std::function<bool()>& condition) {
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

// The next ID, waiting for the watermark if need be.
std::int64_t next_id(SnowflakeService& service) {
    std::int64_t id = 0;
    EXPECT_TRUE(eventually([&] {
        const auto run = service.try_take(service.now_ms(), 1);
        if (run) id = run->id(0);
        return run.has_value();
    }));
    return id;
}

TEST(ServiceProcess, IsReadySoonAfterTheStart) {
    TempDirectory temp;
    const test::LogCapture log;
    Instance instance(temp.path() / "state");
    EXPECT_FALSE(instance.service.started());
    ASSERT_TRUE(instance.service.start());
    EXPECT_TRUE(instance.service.started());
    EXPECT_TRUE(eventually([&] { return instance.service.status().ready; })) << instance.service.status().reason;
    EXPECT_GT(next_id(instance.service), 0);
    instance.service.stop(5s);
}

TEST(ServiceProcess, MovesTheWatermarkByItself) {
    TempDirectory temp;
    const test::LogCapture log;
    SnowflakeOptions options;
    options.max_ahead = 100ms;
    Instance instance(temp.path(), options);
    ASSERT_TRUE(instance.service.start());
    const std::int64_t first = instance.metrics.keeper.watermark_ms.value();
    EXPECT_TRUE(eventually([&] { return instance.metrics.keeper.watermark_ms.value() > first + 500; }));
    EXPECT_GT(next_id(instance.service), 0);
    instance.service.stop(5s);
}

TEST(ServiceProcess, ASecondOneOnTheSameFolderIsWrongConfiguration) {
    TempDirectory temp;
    const test::LogCapture log;
    Instance first(temp.path());
    ASSERT_TRUE(first.service.start());
    Instance second(temp.path());
    const auto refused = second.service.start();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::invalid_configuration);
    EXPECT_NE(refused.error().detail.find(temp.path().string()), std::string::npos) << "names the folder";
    EXPECT_FALSE(second.service.status().ready);
    first.service.stop(5s);
}

TEST(ServiceProcess, WrongSettingsAreWrongConfiguration) {
    TempDirectory temp;
    SnowflakeOptions options;
    Instance too_high(temp.path() / "a", options, 1024);
    EXPECT_EQ(too_high.service.start().error().code, errc::invalid_configuration);
    EXPECT_NE(too_high.service.start().error().detail.find("0 to 1023"), std::string::npos);
    Instance negative(temp.path() / "b", options, -1);
    EXPECT_FALSE(negative.service.start());
    options.max_ahead = 99ms;
    Instance short_lead(temp.path() / "c", options, 1023);
    EXPECT_FALSE(short_lead.service.start());
}

TEST(ServiceProcess, RestartsRepeatNothing) {
    TempDirectory temp;
    const test::LogCapture log;
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        Instance instance(temp.path());
        ASSERT_TRUE(instance.service.start());
        const std::int64_t id = next_id(instance.service);
        EXPECT_GT(id, last);
        last = id;
        while (const auto run = instance.service.try_take(instance.service.now_ms(), 1000)) last = run->id(999);
        instance.service.stop(5s);
    }
}

// A process that issues as fast as it can is killed; the next one starts above whatever it issued.
TEST(ServiceProcess, AKilledProcessIsNotRepeated) {
    TempDirectory temp;
    int ids[2];
    ASSERT_EQ(::pipe(ids), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const test::LogCapture log;
        Instance instance(temp.path());
        if (!instance.service.start()) ::_exit(1);
        for (;;) {
            const auto run = instance.service.try_take(instance.service.now_ms(), 1000);
            if (!run) continue;
            const std::int64_t id = run->id(999);
            if (::write(ids[1], &id, sizeof id) != sizeof id) ::_exit(2);
        }
    }
    ASSERT_GT(child, 0);
    std::int64_t last = 0;
    const auto receive = [&] { return ::read(ids[0], &last, sizeof last) == sizeof last; };
    for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(receive());
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ids[1]);
    while (receive()) {
    }
    ::close(ids[0]);

    const test::LogCapture log;
    Instance instance(temp.path());
    ASSERT_TRUE(instance.service.start());
    EXPECT_GT(next_id(instance.service), last);
    instance.service.stop(5s);
}

// Takers while the watermark moves and while stop() closes the lease: all distinct, nothing afterwards.
TEST(ServiceProcess, TakersRaceWithTheWatermarkAndStop) {
    TempDirectory temp;
    const test::LogCapture log;
    for (const auto policy : {ClockRollback::hold, ClockRollback::reject}) {
        SnowflakeOptions options;
        options.max_ahead = 100ms;
        options.on_clock_rollback = policy;
        Instance instance(temp.path(), options);
        ASSERT_TRUE(instance.service.start());
        std::mutex mutex;
        std::vector<std::pair<std::int64_t, std::uint64_t>> taken;  // first ID, count
        std::atomic<bool> stopped{false};
        std::atomic<int> after_stop{0};
        std::vector<std::thread> takers;
        for (int t = 0; t < 4; ++t) {
            takers.emplace_back([&, t] {
                std::vector<std::pair<std::int64_t, std::uint64_t>> mine;
                for (int refused = 0; refused < 1'000;) {
                    const bool was_stopped = stopped.load();
                    const auto run = instance.service.try_take(instance.service.now_ms(), 64 + t);
                    if (run) {
                        mine.emplace_back(run->first, run->count);
                        after_stop += was_stopped ? 1 : 0;
                    } else if (was_stopped) {
                        ++refused;
                    } else {
                        std::this_thread::yield();
                    }
                }
                const std::lock_guard lock(mutex);
                taken.insert(taken.end(), mine.begin(), mine.end());
            });
        }
        EXPECT_TRUE(eventually([&] { return instance.metrics.ids_issued.value() > 1'500'000; }));
        instance.service.stop(5s);
        stopped = true;
        for (auto& taker : takers) taker.join();

        EXPECT_EQ(after_stop, 0);
        std::sort(taken.begin(), taken.end());
        for (std::size_t i = 1; i < taken.size(); ++i) {
            ASSERT_LE(taken[i - 1].first + static_cast<std::int64_t>(taken[i - 1].second), taken[i].first);
        }
        const auto state = instance.file.load()->state;
        ASSERT_TRUE(state);
        EXPECT_EQ(state->use, worker::WorkerState::Use::released);
        const auto last = static_cast<std::uint64_t>(taken.back().first) + taken.back().second - 1;
        EXPECT_EQ(state->watermark, options.layout.decode(options.layout.id_of_tick(last, 0))->timestamp_ms);
    }
}

// A disk that hangs while it writes the first state holds up neither start() nor, for ever, stop().
TEST(ServiceProcess, AHangingDiskDoesNotHoldUpTheStart) {
    const test::LogCapture log;
    test::FakeStateFile file;
    std::atomic<bool> hangs{true};
    file.during_store = [&hangs] {
        while (hangs.load()) std::this_thread::sleep_for(1ms);
    };
    Process process(file);
    SnowflakeService& service = process.service;
    ASSERT_TRUE(service.start());
    EXPECT_TRUE(service.started());
    EXPECT_FALSE(service.status().ready);
    EXPECT_EQ(service.try_take(service.now_ms(), 1).error().code, errc::worker_unavailable);
    hangs = false;
    EXPECT_TRUE(eventually([&] { return service.status().ready; }));
    EXPECT_GT(next_id(service), 0);
    service.stop(5s);
    EXPECT_EQ(file.state()->use, worker::WorkerState::Use::released);
}

// Issuing ends with the call of stop(), not when the disk answers.
TEST(ServiceProcess, StopEndsIssuingWhileTheDiskHangs) {
    const test::LogCapture log;
    test::FakeStateFile file;
    std::atomic<bool> hangs{false};
    std::atomic<bool> hanging{false};
    file.during_store = [&] {
        while (hangs.load()) {
            hanging = true;
            std::this_thread::sleep_for(1ms);
        }
    };
    SnowflakeOptions options;
    options.max_ahead = 60s;  // so that the watermark does not end it; moved every second at least
    Process process(file, options);
    SnowflakeService& service = process.service;
    ASSERT_TRUE(service.start());
    hangs = true;
    ASSERT_TRUE(eventually([&] { return hanging.load(); }));
    EXPECT_TRUE(service.try_take(service.now_ms(), 1));
    std::thread stopper([&service] { service.stop(5s); });
    EXPECT_TRUE(eventually([&] {
        const auto run = service.try_take(service.now_ms(), 1);
        return !run && run.error().code == errc::lease_lost;
    }));
    hangs = false;
    stopper.join();
    EXPECT_EQ(service.try_take(service.now_ms(), 1).error().code, errc::draining);
    EXPECT_EQ(file.state()->use, worker::WorkerState::Use::released);
}

TEST(ServiceProcess, StopDoesNotWaitForADiskThatHangs) {
    const test::LogCapture log;
    test::FakeStateFile file;
    std::atomic<bool> hangs{false};
    std::atomic<bool> hanging{false};
    file.during_store = [&] {
        while (hangs.load()) {
            hanging = true;
            std::this_thread::sleep_for(1ms);
        }
    };
    Process process(file);
    ASSERT_TRUE(process.service.start());
    hangs = true;
    ASSERT_TRUE(eventually([&] { return hanging.load(); }));
    EXPECT_FALSE(process.service.stop(10ms)) << "it says so";
    hangs = false;
    EXPECT_TRUE(process.service.stop(60s));
    EXPECT_EQ(file.state()->use, worker::WorkerState::Use::released);
}

TEST(ServiceProcess, StopRightAfterStartReleases) {
    TempDirectory temp;
    const test::LogCapture log;
    for (int i = 0; i < 20; ++i) {
        Instance instance(temp.path());
        ASSERT_TRUE(instance.service.start());
        instance.service.stop(5s);
        EXPECT_EQ(instance.file.load()->state->use, worker::WorkerState::Use::released);
    }
}

}  // namespace
}  // namespace frond::snowflake
