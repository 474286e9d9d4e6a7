// Keys that come and go: unknown, new, removed, disabled, made again.
#include "segment/service_bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace frond::segment {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SegmentKeysTest : public testing::Test {
protected:
    // Lets one round of refresh happen.
    void refresh(Bench&) {
        const int before = store.calls().keys;
        clock.move(options.refresh_interval + seconds(1));
        ASSERT_TRUE(eventually([&] { return store.calls().keys > before && store.under_way() == 0; }));
    }

    FakeStore store;
    MovedClock clock;
    SegmentOptions options;
};

TEST_F(SegmentKeysTest, AScanForNamesCostsOneCallEach) {
    Bench bench(store, clock, options);
    bench.start();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 1000; ++i) {
            ASSERT_EQ(bench.failure(fmt::format("guess {} of {}", i % 10, i / 100)), errc::key_not_found);
        }
    }
    EXPECT_LE(store.calls().advance, 100 * 3) << "100 names, asked for again at most once a second";
    EXPECT_EQ(bench.metrics.keys.value(), 0);
}

TEST_F(SegmentKeysTest, AKeyInsertedLaterWorksAfterASecond) {
    Bench bench(store, clock, options);
    bench.start();
    store.put("fresh", {});
    EXPECT_TRUE(bench.take("fresh")) << "at once when nobody asked before";
    EXPECT_EQ(bench.failure("late"), errc::key_not_found);
    store.put("late", {});
    EXPECT_EQ(bench.failure("late"), errc::key_not_found);
    clock.move(seconds(1));
    EXPECT_TRUE(bench.take("late"));
}

TEST_F(SegmentKeysTest, ARemovedKeyStopsAtTheRefresh) {
    store.put("gone", {});
    store.put("kept", {});
    store.put("off", {});
    Bench bench(store, clock, options);
    bench.start();
    for (const char* key : {"gone", "kept", "off"}) ASSERT_TRUE(bench.take(key));
    store.remove("gone");
    store.edit("off", [](FakeStore::Row& row) { row.disabled = true; });
    EXPECT_TRUE(bench.take("gone")) << "until the refresh";
    refresh(bench);
    ASSERT_TRUE(eventually([&] { return bench.metrics.keys.value() == 1; }));
    EXPECT_EQ(bench.failure("gone"), errc::key_not_found);
    EXPECT_EQ(bench.failure("off"), errc::key_not_found);
    EXPECT_TRUE(bench.take("kept"));
}

TEST_F(SegmentKeysTest, TheLastKeyStopsToo) {
    store.put("only", {});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("only"));
    store.remove("only");
    refresh(bench);
    ASSERT_TRUE(eventually([&] { return bench.metrics.keys.value() == 0; }));
    EXPECT_EQ(bench.failure("only"), errc::key_not_found);
}

TEST_F(SegmentKeysTest, ARefreshThatFailsChangesNothingAndIsMadeUp) {
    store.put("k", {});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("k"));
    store.set_away(true);
    refresh(bench);
    EXPECT_TRUE(bench.take("k"));
    store.remove("k");
    store.set_away(false);
    EXPECT_TRUE(eventually([&] { return bench.metrics.keys.value() == 0; }));
}

TEST_F(SegmentKeysTest, AKeyMadeAgainWorksAboveWhatWasGiven) {
    store.put("k", {.max_id = 1, .step = 100});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("k"));
    store.remove("k");
    refresh(bench);
    ASSERT_TRUE(eventually([&] { return bench.metrics.keys.value() == 0; }));

    store.put("k", {.max_id = 5000, .step = 100});
    clock.move(seconds(1));
    const auto taken = bench.take("k");
    ASSERT_TRUE(taken) << taken.error().detail;
    EXPECT_EQ(ids_of(*taken).front(), 5000);
    EXPECT_EQ(bench.metrics.keys.value(), 1);
}

// The guard is of the key, not of its row.
TEST_F(SegmentKeysTest, AKeyMadeAgainBelowWhatWasGivenIsRefusedUntilAccepted) {
    store.put("k", {.max_id = 1, .step = 100});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("k"));
    store.remove("k");
    refresh(bench);
    ASSERT_TRUE(eventually([&] { return bench.metrics.keys.value() == 0; }));

    store.put("k", {.max_id = 1, .step = 100});
    clock.move(seconds(1));
    EXPECT_EQ(bench.failure("k"), errc::store_went_backwards);
    store.edit("k", [](FakeStore::Row& row) { row.accepted = 1; });
    EXPECT_TRUE(eventually([&] { return bench.take("k").has_value(); }));
}

TEST_F(SegmentKeysTest, TooManyUnknownKeysAtOnceAreRefused) {
    options.max_waiters = 5;
    options.refill_timeout = seconds(30);
    Bench bench(store, clock, options);
    bench.start();
    store.hold();
    std::vector<std::future<Result<Taken>>> takes;
    for (int i = 0; i < 5; ++i) takes.push_back(bench.begin(fmt::format("k{}", i)));
    ASSERT_TRUE(eventually([&] { return bench.metrics.waiting.value() == 5; }));
    EXPECT_EQ(bench.failure("one more"), errc::segment_unavailable);
    store.release();
    for (auto& take : takes) EXPECT_EQ(take.get().error().code, errc::key_not_found);
    EXPECT_EQ(bench.failure("now"), errc::key_not_found);
}

}  // namespace
}  // namespace frond::segment
