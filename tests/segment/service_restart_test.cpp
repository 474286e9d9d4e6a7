// Stopping and starting again: tails handed back, the guard, keys loaded before ready.
#include "segment/service_bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace frond::segment {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds patience{30};

class SegmentRestartTest : public testing::Test {
protected:
    // A service whose store hangs at stop may not be destroyed: all that it uses stays until the process ends.
    struct Hanging {
        FakeStore store;
        MovedClock clock;
        Bench bench{store, clock};
    };
    static Hanging& make_hanging() {
        static auto* const kept = new std::vector<std::unique_ptr<Hanging>>;
        return *kept->emplace_back(std::make_unique<Hanging>());
    }

    TempFolder folder;
    FakeStore store;
    MovedClock clock;
    SegmentOptions options;
};

TEST_F(SegmentRestartTest, RestartsOfALoneServerLeaveNoGap) {
    store.put("k", {.max_id = 1, .step = 1000});
    store.put("odd", {.max_id = 1, .step = 1000, .delta = 4, .remainder = 2});
    std::int64_t next = 1;
    std::int64_t next_odd = 2;
    for (int restart = 0; restart < 10; ++restart) {
        Bench bench(store, clock, options, folder.file("guard"));
        bench.start();
        for (int i = 0; i < 1 + restart * 90; ++i) {
            const auto taken = bench.take("k");
            ASSERT_TRUE(taken) << taken.error().detail;
            ASSERT_EQ(ids_of(*taken).front(), next++);
            const auto odd = bench.take("odd");
            ASSERT_TRUE(odd) << odd.error().detail;
            ASSERT_EQ(ids_of(*odd).front(), next_odd);
            next_odd += 4;
        }
        ASSERT_TRUE(bench.service.stop(patience));
    }
    EXPECT_EQ(store.row("k").max_id, next);
}

TEST_F(SegmentRestartTest, ARangeHandedBackUntouchedLeavesTheGuardWhereItWas) {
    store.put("k", {.max_id = 1, .step = 1000});
    const auto start = [&](Bench& bench) {
        bench.start();
        ASSERT_TRUE(eventually([&] { return bench.service.started(); }));
    };
    {
        Bench b(store, clock, options, folder.file("guard-b"));
        start(b);
        ASSERT_TRUE(b.take("k"));
        ASSERT_TRUE(b.service.stop(patience));
    }
    Bench a(store, clock, options, folder.file("guard-a"));
    start(a);
    ASSERT_TRUE(a.take("k"));
    {
        Bench b(store, clock, options, folder.file("guard-b"));  // loads the key's range and uses none of it
        start(b);
        ASSERT_EQ(store.row("k").max_id, 2002);
        ASSERT_TRUE(b.service.stop(patience));
    }
    ASSERT_TRUE(a.service.stop(patience));
    ASSERT_EQ(store.row("k").max_id, 3);
    Bench b(store, clock, options, folder.file("guard-b"));
    start(b);
    const auto taken = b.take("k");
    ASSERT_TRUE(taken) << taken.error().detail;
    EXPECT_EQ(ids_of(*taken).front(), 3);
}

TEST_F(SegmentRestartTest, NothingIsHandedBackWhereSomebodyAllocatedAfter) {
    store.put("k", {.max_id = 1, .step = 1000});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("k"));
    store.edit("k", [](FakeStore::Row& row) { row.max_id += 1000; });
    ASSERT_TRUE(bench.service.stop(patience));
    EXPECT_EQ(store.row("k").max_id, 2001);
    EXPECT_EQ(store.calls().hand_back, 1);
}

TEST_F(SegmentRestartTest, StopsInTimeWhenARefillHangs) {
    Hanging& hanging = make_hanging();
    FakeStore& slow = hanging.store;
    Bench& bench = hanging.bench;
    slow.put("k", {.max_id = 1, .step = 1000});
    bench.start();
    ASSERT_TRUE(bench.take("k"));
    slow.hold();
    ASSERT_TRUE(bench.take("k", 500));
    ASSERT_TRUE(eventually([&] { return slow.under_way() == 1; }));
    EXPECT_FALSE(bench.service.stop(milliseconds(50)));
    slow.release();
}

TEST_F(SegmentRestartTest, StopsInTimeWhenHandingBackHangs) {
    Hanging& hanging = make_hanging();
    FakeStore& slow = hanging.store;
    Bench& bench = hanging.bench;
    for (int i = 0; i < 20; ++i) slow.put(fmt::format("k{}", i), {.max_id = 1, .step = 1000});
    bench.start();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(bench.take(fmt::format("k{}", i)));
    slow.hold();
    EXPECT_FALSE(bench.service.stop(milliseconds(200)));
    slow.release();
}

TEST_F(SegmentRestartTest, StopsAtOnceWhileTheStoreIsAway) {
    store.put("k", {.max_id = 1, .step = 100});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("k"));
    store.set_away(true);
    ASSERT_TRUE(bench.take("k", 50));
    ASSERT_TRUE(eventually([&] { return bench.metrics.refill_failures.value() > 0; }));
    EXPECT_TRUE(bench.service.stop(patience));
    EXPECT_EQ(store.calls().hand_back, 0);
}

// A fail-over to a replica that lagged, and a restart right after it.
TEST_F(SegmentRestartTest, TheGuardOutlivesTheProcess) {
    store.put("k", {.max_id = 1, .step = 1000});
    {
        Bench bench(store, clock, options, folder.file("guard"));
        bench.start();
        ASSERT_TRUE(bench.take("k"));
    }  // without a graceful stop
    store.edit("k", [](FakeStore::Row& row) { row.max_id = 1; });
    Bench bench(store, clock, options, folder.file("guard"));
    bench.start();
    EXPECT_EQ(bench.failure("k"), errc::store_went_backwards);
    EXPECT_GE(bench.metrics.went_backwards.value(), 1U);
    store.edit("k", [](FakeStore::Row& row) { row.accepted = 1; });
    EXPECT_TRUE(eventually([&] { return bench.take("k").has_value(); }));
}

TEST_F(SegmentRestartTest, LoadsTheKeysOfTheLastHourBeforeItIsReady) {
    for (const char* key : {"old", "recent", "never"}) store.put(key, {.step = 1000});
    {
        Bench bench(store, clock, options, folder.file("guard"));
        bench.start();
        ASSERT_TRUE(bench.take("old"));
        clock.move(hours(2));
        ASSERT_TRUE(bench.take("recent"));
        ASSERT_TRUE(bench.service.stop(patience));
    }
    Bench bench(store, clock, options, folder.file("guard"));
    bench.start();
    Taken out;
    EXPECT_TRUE(bench.service.try_take("recent", 1, out)) << "no wait";
    EXPECT_FALSE(bench.service.try_take("old", 1, out));
    EXPECT_TRUE(bench.take("old"));
}

TEST_F(SegmentRestartTest, AKeyThatVanishedMeanwhileDoesNotKeepItFromBeingReady) {
    store.put("k", {});
    {
        Bench bench(store, clock, options, folder.file("guard"));
        bench.start();
        ASSERT_TRUE(bench.take("k"));
    }
    store.remove("k");
    options.refill_timeout = std::chrono::minutes(10);
    Bench bench(store, clock, options, folder.file("guard"));
    bench.start();
    EXPECT_EQ(bench.failure("k"), errc::key_not_found);
    EXPECT_EQ(bench.metrics.keys.value(), 0);
}

// A request that comes before the keys are loaded and the loading itself are one refill of one entry.
TEST_F(SegmentRestartTest, AnEarlyRequestJoinsTheLoading) {
    store.put("k", {.max_id = 1, .step = 1000});
    {
        Bench bench(store, clock, options, folder.file("guard"));
        bench.start();
        ASSERT_TRUE(bench.take("k"));
        ASSERT_TRUE(bench.service.stop(patience));
    }
    const int before = store.calls().advance;
    store.hold();
    options.refill_timeout = patience;
    options.store_threads = 2;
    Bench bench(store, clock, options, folder.file("guard"));
    bench.service.start();
    ASSERT_TRUE(eventually([&] { return store.under_way() == 1; })) << "the look at the store";
    auto early = bench.begin("k");
    ASSERT_TRUE(eventually([&] { return store.under_way() == 2; }));
    store.release();
    const auto taken = early.get();
    ASSERT_TRUE(taken) << taken.error().detail;
    ASSERT_TRUE(eventually([&] { return bench.service.started(); }));
    EXPECT_EQ(bench.metrics.keys.value(), 1);
    EXPECT_EQ(store.calls().advance, before + 1);
    ASSERT_TRUE(bench.service.stop(patience));
    EXPECT_EQ(store.row("k").max_id, ids_of(*taken).front() + 1) << "no range is lost";
}

}  // namespace
}  // namespace frond::segment
