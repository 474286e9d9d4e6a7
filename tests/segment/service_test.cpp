// Taking IDs while the store is well: batches, many callers, bounds.
#include "segment/service_bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>

namespace frond::segment {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SegmentServiceTest : public testing::Test {
protected:
    FakeStore store;
    MovedClock clock;
};

TEST_F(SegmentServiceTest, GivesIdsOfAKey) {
    store.put("order", {.step = 1000});
    Bench bench(store, clock);
    bench.start();
    const auto first = bench.take("order");
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_EQ(ids_of(*first), (std::vector<std::int64_t>{1}));
    Taken out;
    EXPECT_TRUE(bench.service.try_take("order", 3, out));
    EXPECT_EQ(ids_of(out), (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_FALSE(bench.service.try_take("other", 1, out));
    EXPECT_EQ(bench.metrics.ids_issued.value(), 4U);
    EXPECT_EQ(bench.failure("other"), errc::key_not_found);
    EXPECT_EQ(bench.metrics.refused.value(), 1U);
}

TEST_F(SegmentServiceTest, AColdKeyJoinsOneAdvance) {
    store.put("k", {.step = 10'000});
    Bench bench(store, clock);
    bench.start();
    store.hold();
    std::vector<std::future<Result<Taken>>> takes;
    for (int i = 0; i < 500; ++i) takes.push_back(bench.begin("k"));
    ASSERT_TRUE(eventually([&] { return bench.metrics.waiting.value() == 500; }));
    store.release();
    std::set<std::int64_t> ids;
    for (auto& take : takes) {
        const auto taken = take.get();
        ASSERT_TRUE(taken) << taken.error().detail;
        ids.insert(ids_of(*taken).front());
    }
    EXPECT_EQ(ids.size(), 500U);
    EXPECT_EQ(store.calls().advance, 1);
    EXPECT_EQ(bench.metrics.waiting.value(), 0);
}

TEST_F(SegmentServiceTest, FiveHundredCallersOfAStepOfTenGetNoError) {
    store.put("k", {.step = 10});
    Bench bench(store, clock);
    bench.start();
    std::set<std::int64_t> ids;
    for (int round = 0; round < 10; ++round) {
        std::vector<std::future<Result<Taken>>> takes;
        for (int i = 0; i < 500; ++i) takes.push_back(bench.begin("k"));
        for (auto& take : takes) {
            const auto taken = take.get();
            ASSERT_TRUE(taken) << taken.error().detail;
            ids.insert(ids_of(*taken).front());
        }
    }
    EXPECT_EQ(ids.size(), 5000U);
    EXPECT_LT(store.calls().advance, 60) << "the step has adapted";
}

TEST_F(SegmentServiceTest, BatchesLargerThanAllRangesInMemory) {
    store.put("k", {.step = 10, .delta = 3, .remainder = 1});
    SegmentOptions options;
    options.max_batch = 20'000;
    Bench bench(store, clock, options);
    bench.start();
    std::int64_t last = 0;
    for (int i = 0; i < 50; ++i) {
        for (const std::uint64_t n : {1U, 20'000U, 7U, 19'999U}) {
            const auto taken = bench.take("k", n);
            ASSERT_TRUE(taken) << taken.error().detail;
            const auto ids = ids_of(*taken);
            ASSERT_EQ(ids.size(), n);
            for (const std::int64_t id : ids) {
                ASSERT_GT(id, last);
                ASSERT_EQ(id % 3, 1);
                last = id;
            }
        }
    }
}

TEST_F(SegmentServiceTest, LargestBatchesBesideSmallOnes) {
    store.put("k", {.step = 10});
    SegmentOptions options;
    options.max_batch = 1000;
    options.refill_timeout = seconds(30);
    Bench bench(store, clock, options);
    bench.start();
    std::vector<std::int64_t> ids;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::future<Result<Taken>>> takes;
        for (int i = 0; i < 40; ++i) takes.push_back(bench.begin("k", i % 2 == 0 ? 1000 : 3));
        for (auto& take : takes) {
            const auto taken = take.get();
            ASSERT_TRUE(taken) << taken.error().detail;
            const auto some = ids_of(*taken);
            ids.insert(ids.end(), some.begin(), some.end());
        }
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids.size(), 20U * (20 * 1000 + 20 * 3));
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST_F(SegmentServiceTest, ManyThreadsAndStepsOfEight) {
    store.put("k", {.step = 8, .max_step = 8});
    SegmentOptions options;
    options.refill_timeout = seconds(30);
    Bench bench(store, clock, options);
    bench.start();
    std::vector<std::vector<std::int64_t>> taken(8);
    std::vector<std::thread> threads;
    for (auto& mine : taken) {
        threads.emplace_back([&bench, &mine] {
            for (int i = 0; i < 500; ++i) {
                Taken out;
                if (!bench.service.try_take("k", 1, out)) {
                    const auto waited = bench.take("k");
                    ASSERT_TRUE(waited) << waited.error().detail;
                    out = *waited;
                }
                ASSERT_TRUE(mine.empty() || ids_of(out).front() > mine.back());
                mine.push_back(ids_of(out).front());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<std::int64_t> ids;
    for (const auto& mine : taken) ids.insert(mine.begin(), mine.end());
    EXPECT_EQ(ids.size(), 4000U);
}

TEST_F(SegmentServiceTest, RefusesMoreWaitersThanItsBound) {
    for (const char* key : {"a", "b"}) store.put(key, {});
    SegmentOptions options;
    options.max_waiters = 10;
    Bench bench(store, clock, options);
    bench.start();
    store.hold();
    std::vector<std::future<Result<Taken>>> takes;
    for (int i = 0; i < 10; ++i) takes.push_back(bench.begin(i % 2 == 0 ? "a" : "b"));
    ASSERT_TRUE(eventually([&] { return bench.metrics.waiting.value() == 10; }));
    EXPECT_EQ(bench.failure("a"), errc::segment_unavailable);
    store.release();
    for (auto& take : takes) EXPECT_TRUE(take.get());
}

TEST_F(SegmentServiceTest, TenThousandKeysNeedNoMoreThreads) {
    for (int i = 0; i < 10'000; ++i) store.put(fmt::format("k{}", i), {.step = 10});
    SegmentOptions options;
    options.store_threads = 3;
    options.refill_timeout = seconds(30);
    Bench bench(store, clock, options);
    bench.start();
    const auto threads = [] {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    const auto before = threads();
    store.hold();
    std::vector<std::future<Result<Taken>>> takes;
    for (int i = 0; i < 10'000; ++i) takes.push_back(bench.begin(fmt::format("k{}", i)));
    ASSERT_TRUE(eventually([&] { return bench.metrics.waiting.value() == 10'000; }));
    EXPECT_EQ(threads(), before);
    EXPECT_LE(store.most_under_way(), 3);
    store.release();
    for (auto& take : takes) {
        const auto taken = take.get();
        ASSERT_TRUE(taken) << taken.error().detail;
    }
    EXPECT_LE(store.most_under_way(), 3);
    EXPECT_EQ(bench.metrics.keys.value(), 10'000);
}

// The frames of takers that still wait may outlive the service.
TEST_F(SegmentServiceTest, WaitersMayOutliveTheService) {
    store.put("k", {});
    SegmentMetrics metrics;
    boost::asio::io_context io{1};
    store.hold();
    std::future<Result<Taken>> future;

    {
        SegmentService service(store, clock, metrics, nullptr, {});
        service.start();
        auto promise = std::make_shared<std::promise<Result<Taken>>>();
        future = promise->get_future();
        boost::asio::co_spawn(io.get_executor(), take_into(service, "k", 1, std::move(promise)), boost::asio::detached);
        io.poll();
        EXPECT_EQ(metrics.waiting.value(), 1);
        store.release();
    }
    EXPECT_TRUE(future.valid());
}

}  // namespace
}  // namespace frond::segment
