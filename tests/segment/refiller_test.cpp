// One refill after another, with waiters, steps and troubles as the test sets them.
#include "segment/refiller.hpp"

#include "segment/fake_store.hpp"
#include "segment/helpers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace frond::segment {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

using Widths = std::vector<std::int64_t>;

class FakeWaiter final : public Waiter {
public:
    FakeWaiter(KeyEntry& entry, std::uint64_t n) : entry_(entry) {
        wanted = n;
        const std::lock_guard lock(entry.mutex);
        entry.waiters.push_back(this);
    }
    ~FakeWaiter() override {
        const std::lock_guard lock(entry_.mutex);
        std::erase(entry_.waiters, this);
    }
    FakeWaiter(const FakeWaiter&) = delete;
    FakeWaiter& operator=(const FakeWaiter&) = delete;
    void wake() override { woken = true; }

    std::atomic<bool> woken{false};

private:
    KeyEntry& entry_;
};

class Listener final : public RefillListener {
public:
    void key_found(const std::shared_ptr<KeyEntry>& entry) override { entry->listed = true; }
    void key_missing(const std::shared_ptr<KeyEntry>&) override { ++missing; }
    void key_abandoned(const std::shared_ptr<KeyEntry>&) override { ++abandoned; }
    void store_back() override { ++back; }

    std::atomic<int> missing{0};
    std::atomic<int> abandoned{0};
    std::atomic<int> back{0};
};

class RefillerTest : public testing::Test {
protected:
    static constexpr std::int64_t max_batch = 5000;

    std::shared_ptr<KeyEntry> entry(const std::string& key) {
        auto made = std::make_shared<KeyEntry>(key);
        made->listed = true;
        return made;
    }
    void refill(KeyEntry& entry) {
        refiller.kick(entry);
        ASSERT_TRUE(eventually([&] { return !entry.refilling && nobody_waits(entry); }));
    }
    static bool nobody_waits(KeyEntry& entry) {
        const std::lock_guard lock(entry.mutex);
        return entry.waiters.empty();
    }
    // Empties the buffer down to `left` IDs.
    static void use(KeyEntry& entry, std::uint64_t left = 0) {
        Taken out;
        while (entry.buffer.remaining() > left) ASSERT_TRUE(entry.buffer.take(1, out));
    }

    LogCapture log;
    FakeStore store;
    MovedClock clock;
    SegmentMetrics metrics;
    Listener listener;
    Refiller refiller{{.store = store,
                       .clock = clock,
                       .metrics = metrics,
                       .listener = listener,
                       .journal = nullptr,
                       .threads = 2,
                       .max_batch = max_batch}};
};

TEST_F(RefillerTest, DoublesTheStepOfAKeyInUseAndHalvesThatOfAnIdleOne) {
    store.put("k", {.step = 10, .max_step = 60});
    const auto key = entry("k");
    for (int i = 0; i < 6; ++i) {
        refill(*key);
        use(*key);
    }
    EXPECT_EQ(store.widths("k"), (Widths{10, 10, 20, 40, 60, 60}));
    for (int i = 0; i < 4; ++i) {
        clock.move(hours(1));
        refill(*key);
        use(*key);
    }
    clock.move(std::chrono::minutes(20));
    refill(*key);
    EXPECT_EQ(store.widths("k"), (Widths{10, 10, 20, 40, 60, 60, 30, 15, 10, 10, 10}));
}

TEST_F(RefillerTest, DoublesTheStepAtOnceWhenSomebodyWaited) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    refill(*key);
    use(*key);
    clock.move(hours(1));
    FakeWaiter waiter(*key, 1);
    refill(*key);
    EXPECT_TRUE(waiter.woken);
    EXPECT_FALSE(waiter.error);
    EXPECT_EQ(store.widths("k"), (Widths{10, 20}));
}

TEST_F(RefillerTest, CountsThoseWhoBeganToWaitWhileTheStoreWasAsked) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    for (int i = 0; i < 3; ++i) {
        refill(*key);
        use(*key);
    }
    store.hold();
    refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return store.under_way() == 1; }));
    FakeWaiter waiter(*key, 1);
    store.release();
    ASSERT_TRUE(eventually([&] { return waiter.woken.load(); }));
    use(*key);
    clock.move(hours(1));
    refill(*key);
    EXPECT_EQ(store.widths("k"), (Widths{10, 10, 20, 40, 80})) << "an hour alone would have halved it";
}

TEST_F(RefillerTest, FirstUseDoesNotCountAsWaiting) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    FakeWaiter waiter(*key, 1);
    refill(*key);
    use(*key);
    clock.move(hours(1));
    refill(*key);
    EXPECT_EQ(store.widths("k"), (Widths{10, 10}));
}

TEST_F(RefillerTest, AChangedStepOfTheRowCountsAtTheNextRefill) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    for (int i = 0; i < 4; ++i) {
        refill(*key);
        use(*key);
    }
    store.edit("k", [](FakeStore::Row& row) { row.step = 7; });
    refill(*key);
    use(*key);
    refill(*key);
    EXPECT_EQ(store.widths("k"), (Widths{10, 10, 20, 40, 7, 14}));
}

TEST_F(RefillerTest, OneRangeServesAllWhoWait) {
    store.put("k", {.step = 10, .max_step = 1000});
    const auto key = entry("k");
    std::vector<std::unique_ptr<FakeWaiter>> waiters;
    for (int i = 0; i < 50; ++i) waiters.push_back(std::make_unique<FakeWaiter>(*key, 3));
    refill(*key);
    EXPECT_EQ(store.widths("k"), (Widths{150}));
    for (const auto& waiter : waiters) EXPECT_TRUE(waiter->woken);
    use(*key);

    FakeWaiter large(*key, 4000);
    refill(*key);
    EXPECT_EQ(store.widths("k").back(), 4000) << "also one over max_step";
}

// A caller that is woken and does nothing.
struct PatientWaiter final : Waiter {
    void wake() override {}
};

TEST_F(RefillerTest, WhatFillsTheThirdSlotSatisfiesAnyTake) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    refill(*key);
    refill(*key);
    PatientWaiter waiter;
    key->waiters.push_back(&waiter);
    refill(*key);
    EXPECT_EQ(store.widths("k").back(), max_batch);
    Taken out;
    EXPECT_TRUE(key->buffer.take(static_cast<std::uint64_t>(max_batch), out));
}

TEST_F(RefillerTest, NobodyWaitingMeansNoThirdRange) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    refill(*key);
    refill(*key);
    const auto calls = store.calls().advance;
    refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return !key->refilling; }));
    EXPECT_EQ(store.calls().advance, calls);
    EXPECT_EQ(key->buffer.occupied(), 2U);
}

TEST_F(RefillerTest, AsksOnceForManyKicks) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    store.hold();
    for (int i = 0; i < 1000; ++i) refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return store.under_way() == 1; }));
    store.release();
    ASSERT_TRUE(eventually([&] { return !key->refilling; }));
    EXPECT_EQ(store.calls().advance, 1);
}

TEST_F(RefillerTest, AKeyThatNobodyWaitsForAnyMoreIsNotAskedFor) {
    const auto key = std::make_shared<KeyEntry>("k");
    refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return listener.abandoned == 1; }));
    EXPECT_TRUE(key->removed);
    EXPECT_EQ(store.calls().advance, 0);
}

struct Trouble {
    const char* name;
    errc code;
    void (*begin)(FakeStore::Row& row);
    void (*end)(FakeStore::Row& row);
};

class KeyTroubleTest : public RefillerTest, public testing::WithParamInterface<Trouble> {};

TEST_P(KeyTroubleTest, FailsWaitersServesMemoryIsLoggedOnceAndHealsByItself) {
    store.put("k", {.max_id = 1000, .step = 100});
    const auto key = entry("k");
    refill(*key);
    store.edit("k", GetParam().begin);

    for (int i = 0; i < 4; ++i) {
        FakeWaiter waiter(*key, 1);
        refill(*key);  // with its rest after the failure
        ASSERT_TRUE(waiter.woken);
        ASSERT_TRUE(waiter.error);
        EXPECT_EQ(waiter.error->code, GetParam().code) << waiter.error->detail;
    }
    EXPECT_EQ(log.count("key 'k'"), 1) << "one line when it begins";
    EXPECT_EQ(metrics.went_backwards.value(), GetParam().code == errc::store_went_backwards ? 4U : 0U);
    EXPECT_FALSE(refiller.store_away()) << "the store itself is well";
    Taken out;
    EXPECT_TRUE(key->buffer.take(100, out)) << "memory is served on";

    store.edit("k", GetParam().end);
    FakeWaiter waiter(*key, 1);
    refill(*key);
    EXPECT_TRUE(waiter.woken);
    EXPECT_FALSE(waiter.error);
    EXPECT_TRUE(key->buffer.take(1, out));
    EXPECT_EQ(log.count("ranges come again"), 1) << "and one when it ends";
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, KeyTroubleTest,
    testing::Values(Trouble{"misconfigured", errc::key_misconfigured, [](FakeStore::Row& row) { row.step = 0; },
                            [](FakeStore::Row& row) { row.step = 100; }},
                    Trouble{"exhausted", errc::key_exhausted, [](FakeStore::Row& row) { row.max_id = INT64_MAX - 3; },
                            [](FakeStore::Row& row) { row.max_id = 2000; }},
                    Trouble{"raised", errc::store_went_backwards, [](FakeStore::Row& row) { row.max_id = 1; },
                            [](FakeStore::Row& row) { row.max_id = 1100; }},
                    Trouble{"accepted", errc::store_went_backwards, [](FakeStore::Row& row) { row.max_id = 1; },
                            [](FakeStore::Row& row) { row.accepted = 1; }}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(RefillerTest, ARowThatIsGoneClosesItsKey) {
    store.put("k", {.step = 100});
    const auto key = entry("k");
    refill(*key);
    store.remove("k");
    FakeWaiter waiter(*key, 1);
    refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return waiter.woken.load(); }));
    EXPECT_EQ(waiter.error->code, errc::key_not_found);
    EXPECT_TRUE(key->removed);
    EXPECT_EQ(key->buffer.remaining(), 0U);
    EXPECT_EQ(listener.missing, 1);
}

TEST_F(RefillerTest, WhileTheStoreIsAwayOneCallAtATimeProbes) {
    std::vector<std::shared_ptr<KeyEntry>> keys;
    for (int i = 0; i < 200; ++i) {
        keys.push_back(entry(fmt::format("k{}", i)));
        store.put(keys.back()->key, {.step = 10});
    }
    refill(*keys[0]);
    EXPECT_EQ(listener.back, 1) << "the first answer";
    store.set_away(true);
    refiller.kick(*keys[1]);
    ASSERT_TRUE(eventually([&] { return refiller.store_away(); }));
    ASSERT_TRUE(eventually([&] { return store.under_way() == 0; }));
    store.forget_most_under_way();
    const int before = store.calls().advance;
    for (const auto& key : keys) refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return store.calls().advance >= before + 4; }));
    EXPECT_EQ(store.most_under_way(), 1);

    store.set_away(false);
    ASSERT_TRUE(eventually([&] {
        return std::all_of(keys.begin(), keys.end(), [](const auto& key) { return !key->refilling; });
    })) << "all who were kept back go on";
    EXPECT_EQ(log.count("segment store away"), 1);
    EXPECT_EQ(log.count("segment store back"), 1);
    EXPECT_EQ(listener.back, 2);
}

// Calls that were queued while all was well must not storm a store that has gone away since.
TEST_F(RefillerTest, QueuedCallsAreKeptBackToo) {
    std::vector<std::shared_ptr<KeyEntry>> keys;
    for (int i = 0; i < 200; ++i) {
        keys.push_back(entry(fmt::format("k{}", i)));
        store.put(keys.back()->key, {.step = 10});
    }
    refill(*keys[0]);
    store.hold();
    for (const auto& key : keys) refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return store.under_way() == 2; }));
    store.set_away(true);
    const int before = store.calls().advance;
    store.release();
    ASSERT_TRUE(eventually([&] { return store.calls().advance >= before + 3; }));
    EXPECT_LT(store.calls().advance, before + 50);
    store.set_away(false);
    EXPECT_TRUE(eventually(
        [&] { return std::all_of(keys.begin(), keys.end(), [](const auto& key) { return !key->refilling; }); }));
}

// The first retry comes after the back-off, not when the timekeeper happens to look.
TEST_F(RefillerTest, ALoneKeyIsRetriedSoon) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    store.set_away(true);
    refiller.kick(*key);
    ASSERT_TRUE(eventually([&] { return store.calls().advance >= 5; }));
    store.set_away(false);
    EXPECT_TRUE(eventually([&] { return !key->refilling; }));
}

TEST_F(RefillerTest, StopDropsWhatIsParkedAndGivesUpACallThatHangs) {
    store.put("k", {.step = 10});
    const auto key = entry("k");
    refill(*key);
    EXPECT_TRUE(refiller.stop(std::chrono::seconds(30)));
    use(*key);
    refiller.kick(*key);
    EXPECT_EQ(store.calls().advance, 1);
}

}  // namespace
}  // namespace frond::segment
