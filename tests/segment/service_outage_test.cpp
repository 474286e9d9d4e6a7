// The store away, slow or hanging: memory is served on, waiters get an answer in time, all goes on by itself.
#include "segment/service_bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace frond::segment {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SegmentOutageTest : public testing::Test {
protected:
    SegmentOutageTest() { options.refill_timeout = milliseconds(200); }

    LogCapture log;
    FakeStore store;
    MovedClock clock;
    SegmentOptions options;
};

TEST_F(SegmentOutageTest, ServesMemoryAndComesBackByItself) {
    for (int i = 0; i < 50; ++i) store.put(fmt::format("k{}", i), {.step = 100});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("k0"));
    store.set_away(true);
    ASSERT_TRUE(bench.take("k0", 50)) << "from memory, and a refill is tried";
    ASSERT_TRUE(eventually([&] { return log.count("segment store away") == 1; }));
    ASSERT_TRUE(eventually([&] { return !bench.metrics.store_up.value(); }));
    EXPECT_TRUE(bench.service.status().ready) << "something is left";
    EXPECT_TRUE(bench.service.status().reason.empty());
    for (int round = 0; round < 2; ++round) {
        std::vector<std::future<Result<Taken>>> takes;
        for (int i = 1; i < 50; ++i) takes.push_back(bench.begin(fmt::format("k{}", i)));
        for (auto& take : takes) EXPECT_EQ(take.get().error().code, errc::segment_unavailable);
    }
    EXPECT_TRUE(bench.take("k0", 49));
    EXPECT_EQ(bench.failure("k0"), errc::segment_unavailable);
    EXPECT_FALSE(bench.service.status().ready);
    EXPECT_FALSE(bench.service.status().reason.empty());

    store.set_away(false);
    for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(eventually([&] { return bench.take(fmt::format("k{}", i)).has_value(); })) << i;
    }
    EXPECT_TRUE(bench.service.status().ready);
    EXPECT_EQ(log.count("segment store away"), 1);
    EXPECT_EQ(log.count("segment store back"), 1);
}

TEST_F(SegmentOutageTest, AHangingStoreKeepsNobodyBeyondTheTimeout) {
    store.put("cold", {});
    store.put("warm", {.step = 100});
    Bench bench(store, clock, options);
    bench.start();
    ASSERT_TRUE(bench.take("warm"));
    store.hold();
    EXPECT_EQ(bench.failure("cold"), errc::segment_unavailable);
    EXPECT_TRUE(bench.take("warm", 50)) << "other keys are served";
    EXPECT_TRUE(bench.take("warm", 49));
    EXPECT_EQ(bench.failure("warm"), errc::segment_unavailable);
    EXPECT_EQ(bench.metrics.waiting.value(), 0);
    store.release();
    EXPECT_TRUE(eventually([&] { return bench.take("cold").has_value(); }));
    EXPECT_TRUE(eventually([&] { return bench.take("warm").has_value(); }));
}

TEST_F(SegmentOutageTest, StartsWithTheStoreDown) {
    store.put("k", {});
    store.set_away(true);
    Bench bench(store, clock, options);
    bench.start();
    EXPECT_FALSE(bench.service.status().ready);
    EXPECT_EQ(bench.failure("k"), errc::segment_unavailable);
    store.set_away(false);
    EXPECT_TRUE(eventually([&] { return bench.service.status().ready; })) << "without any request";
    EXPECT_TRUE(eventually([&] { return bench.take("k").has_value(); }));
    EXPECT_EQ(log.count("segment store away"), 1);
    EXPECT_EQ(log.count("segment store back"), 1);
}

TEST_F(SegmentOutageTest, StartsWithTheStoreHangingAndIsNotReady) {
    store.put("k", {});
    store.hold();
    Bench bench(store, clock, options);
    bench.start();
    EXPECT_FALSE(bench.service.status().ready) << "it never answered";
    store.release();
    EXPECT_TRUE(eventually([&] { return bench.service.status().ready; }));
}

}  // namespace
}  // namespace frond::segment
