// One thread: order, bounds, batches and the errors of the generator.
#include <frond/snowflake_generator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>

namespace frond {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

SnowflakeLayout layout(std::int64_t epoch_ms, int timestamp_bits, int worker_bits, int sequence_bits) {
    return SnowflakeLayout::make(epoch_ms, timestamp_bits, worker_bits, sequence_bits).value();
}

std::int64_t timestamp(const SnowflakeGenerator& generator, std::uint64_t tick) {
    return generator.layout().decode(generator.id(tick))->timestamp_ms;
}

errc code_of(const Result<TickRun>& run) { return run ? errc{} : run.error().code; }

TEST(SnowflakeGenerator, IssuesGrowingDistinctIds) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 5});
    std::int64_t last = -1;
    for (int i = 0; i < 100'000; ++i) {
        const auto run = generator.take(now + i / 3000);
        ASSERT_TRUE(run);
        const std::int64_t id = generator.id(run->first);
        ASSERT_GT(id, last);
        last = id;
        ASSERT_EQ(generator.layout().decode(id)->worker_id, 5);
    }
}

TEST(SnowflakeGenerator, FirstIdBearsTheClock) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 0});
    const auto run = generator.take(now);
    ASSERT_TRUE(run);
    EXPECT_EQ(timestamp(generator, run->first), now);
    EXPECT_EQ(generator.last_timestamp_ms(), now);
}

TEST(SnowflakeGenerator, ABatchIsOneRun) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1});
    const auto first = generator.take(now, 10'000);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->count, 10'000U);
    EXPECT_EQ(timestamp(generator, first->first + 9'999), now + 2) << "4096 a millisecond, the rest runs ahead";
    const auto next = generator.take(now);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->first, first->first + 10'000);
}

TEST(SnowflakeGenerator, LargestRunIsWhatTheLeadHolds) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1, .max_ahead_ms = 2});
    EXPECT_EQ(generator.max_take(), 3U * 4096);
    EXPECT_EQ(code_of(generator.take(now, 0)), errc::invalid_count);
    EXPECT_EQ(code_of(generator.take(now, 3 * 4096 + 1)), errc::invalid_count);
    EXPECT_TRUE(generator.take(now, 3 * 4096));
    EXPECT_EQ(code_of(generator.take(now)), errc::snowflake_overloaded);
    EXPECT_EQ(generator.ready_at_ms(1), now + 1);
    EXPECT_TRUE(generator.take(now + 1));
}

TEST(SnowflakeGenerator, LargestRunOfOddOptionsDoesNotOverflow) {
    SnowflakeGenerator plain({.layout = layout(0, 63, 0, 0), .max_ahead_ms = INT64_MAX});
    EXPECT_GE(plain.max_take(), std::uint64_t{1} << 62);
    EXPECT_EQ(code_of(plain.take(now, plain.max_take())), errc::timestamp_exhausted);
    SnowflakeGenerator wide({.layout = layout(0, 31, 0, 32), .max_ahead_ms = INT64_MAX});
    EXPECT_GE(wide.max_take(), std::uint64_t{1} << 62);
    SnowflakeGenerator early({.layout = layout(-(std::int64_t{1} << 62), 63, 0, 0), .max_ahead_ms = INT64_MAX});
    EXPECT_EQ(early.ready_at_ms(1), INT64_MIN);
}

// Whatever the sequence stands at, a run that fits into the lead passes once the clock has come far enough.
TEST(SnowflakeGenerator, NoRunUpToTheLargestStarves) {
    for (const int bits : {0, 2, 4, 8, 12}) {
        for (const std::int64_t ahead : {0, 1, 10}) {
            for (int before = 1; before < 40; ++before) {
                SnowflakeGenerator generator({.layout = layout(0, 41, 5, bits), .max_ahead_ms = ahead});
                for (int i = 0; i < before; ++i) ASSERT_TRUE(generator.take(now + i * 20));
                const std::int64_t ready = generator.ready_at_ms(generator.max_take());
                ASSERT_LE(ready, now + before * 20);
                const auto run = generator.take(std::max(ready, now + before * 20), generator.max_take());
                ASSERT_TRUE(run) << bits << " bits, " << ahead << " ms, " << before << ": " << run.error().detail;
            }
        }
    }
}

TEST(SnowflakeGenerator, SpillsIntoTheNextMillisecond) {
    SnowflakeGenerator generator({.layout = layout(0, 41, 10, 3)});
    std::set<std::int64_t> ids;
    for (int i = 0; i < 20; ++i) {
        const auto run = generator.take(now);
        ASSERT_TRUE(run);
        ASSERT_EQ(timestamp(generator, run->first), now + i / 8);
        ids.insert(generator.id(run->first));
    }
    EXPECT_EQ(ids.size(), 20U);
}

TEST(SnowflakeGenerator, FullLeadIsOverloadNotRollback) {
    SnowflakeGenerator generator({.layout = layout(0, 41, 10, 0), .max_ahead_ms = 3});
    for (int i = 0; i <= 3; ++i) ASSERT_TRUE(generator.take(now));
    EXPECT_EQ(code_of(generator.take(now)), errc::snowflake_overloaded);
    EXPECT_EQ(code_of(generator.take(now - 1)), errc::clock_rollback);
    EXPECT_TRUE(generator.take(now + 1));
}

TEST(SnowflakeGenerator, LimitIsInclusiveAndOnlyRises) {
    SnowflakeGenerator generator({.layout = layout(0, 41, 10, 0), .limit_ms = now + 1});
    EXPECT_TRUE(generator.take(now));
    EXPECT_TRUE(generator.take(now));
    EXPECT_EQ(code_of(generator.take(now)), errc::limit_reached);
    generator.raise_limit(now);
    EXPECT_EQ(generator.limit_ms(), now + 1);
    EXPECT_EQ(code_of(generator.take(now + 50)), errc::limit_reached);
    generator.raise_limit(now + 50);
    EXPECT_EQ(generator.limit_ms(), now + 50);
    EXPECT_TRUE(generator.take(now + 50));
    EXPECT_EQ(code_of(generator.take(now + 50)), errc::limit_reached);
}

TEST(SnowflakeGenerator, ARunThatCrossesTheLimitTakesNothing) {
    SnowflakeGenerator generator({.layout = layout(0, 41, 10, 4), .limit_ms = now});
    EXPECT_EQ(code_of(generator.take(now, 17)), errc::limit_reached);
    EXPECT_TRUE(generator.take(now, 16));
}

TEST(SnowflakeGenerator, IssuesNothingAtOrBelowTheFloor) {
    SnowflakeGenerator generator({.layout = {}, .max_ahead_ms = 100, .floor_ms = now + 50});
    EXPECT_EQ(generator.last_timestamp_ms(), now + 50);
    const auto run = generator.take(now);
    ASSERT_TRUE(run);
    EXPECT_EQ(timestamp(generator, run->first), now + 51);

    SnowflakeGenerator far({.layout = {}, .worker_id = 1, .max_ahead_ms = 100, .floor_ms = now + 150});
    EXPECT_EQ(code_of(far.take(now)), errc::clock_rollback);
    EXPECT_TRUE(far.take(now + 51));
}

TEST(SnowflakeGenerator, AFloorPastTheFieldIsKeptAndNothingIssued) {
    for (const int timestamp_bits : {20, 63}) {
        SnowflakeGenerator generator({.layout = layout(0, timestamp_bits, 0, 0), .floor_ms = INT64_MAX});
        EXPECT_FALSE(generator.closed());
        EXPECT_EQ(code_of(generator.take(1000)), errc::timestamp_exhausted);
        EXPECT_EQ(generator.last_timestamp_ms(), INT64_MAX);
        EXPECT_EQ(generator.close(), INT64_MAX);
    }
    SnowflakeGenerator early({.layout = layout(-(std::int64_t{1} << 62), 63, 0, 0), .floor_ms = INT64_MAX});
    EXPECT_EQ(code_of(early.take(0)), errc::timestamp_exhausted);
}

TEST(SnowflakeGenerator, EpochInTheFutureIsAnErrorUntilItComes) {
    SnowflakeGenerator generator({.layout = layout(now + 1000, 41, 10, 12)});
    EXPECT_EQ(code_of(generator.take(now)), errc::clock_rollback);
    EXPECT_EQ(code_of(generator.take(INT64_MIN)), errc::clock_rollback);
    EXPECT_TRUE(generator.take(now + 1000));
}

TEST(SnowflakeGenerator, FullFieldIsAnErrorNotAWrap) {
    SnowflakeGenerator generator({.layout = layout(now - 1023, 10, 5, 2)});
    for (int i = 0; i < 4; ++i) {
        const auto run = generator.take(now);
        ASSERT_TRUE(run);
        ASSERT_GE(generator.id(run->first), 0);
        ASSERT_EQ(timestamp(generator, run->first), now);
    }
    EXPECT_EQ(code_of(generator.take(now)), errc::timestamp_exhausted);
    EXPECT_EQ(code_of(generator.take(now + 1)), errc::timestamp_exhausted);
    EXPECT_EQ(code_of(generator.take(INT64_MAX)), errc::timestamp_exhausted);
}

// Timestamp and sequence fill all 63 bits: the tick must not run into the mark of a closed generator.
TEST(SnowflakeGenerator, FullFieldOf63BitsDoesNotLookClosed) {
    for (const int sequence_bits : {0, 2, 12}) {
        const SnowflakeLayout full = layout(0, 63 - sequence_bits, 0, sequence_bits);
        SnowflakeGenerator generator({.layout = full});
        const std::int64_t last = full.last_timestamp_ms();
        std::uint64_t issued = 0;
        Result<TickRun> run = generator.take(last);
        for (; run; run = generator.take(last)) {
            ASSERT_GE(generator.id(run->first), 0);
            ++issued;
        }
        EXPECT_EQ(run.error().code, errc::timestamp_exhausted);
        EXPECT_EQ(issued, static_cast<std::uint64_t>(full.max_sequence())) << "all but the very last value";
        EXPECT_FALSE(generator.closed());
    }
}

TEST(SnowflakeGenerator, WorkerIdMustFitItsField) {
    for (const int bits : {0, 5, 10}) {
        const SnowflakeLayout small = layout(0, 41, bits, 12);
        EXPECT_NO_THROW(SnowflakeGenerator({.layout = small, .worker_id = (std::int64_t{1} << bits) - 1}));
        EXPECT_THROW(SnowflakeGenerator({.layout = small, .worker_id = std::int64_t{1} << bits}),
                     std::invalid_argument);
        EXPECT_THROW(SnowflakeGenerator({.layout = small, .worker_id = -1}), std::invalid_argument);
    }
    EXPECT_THROW(SnowflakeGenerator({.layout = {}, .max_ahead_ms = -1}), std::invalid_argument);
}

TEST(SnowflakeGenerator, WorkersNeverShareAnId) {
    const SnowflakeLayout small = layout(0, 41, 2, 4);
    std::set<std::int64_t> ids;
    for (std::int64_t worker = 0; worker < 4; ++worker) {
        SnowflakeGenerator generator({.layout = small, .worker_id = worker});
        for (int i = 0; i < 1000; ++i) ids.insert(generator.id(generator.take(now)->first));
    }
    EXPECT_EQ(ids.size(), 4000U);
}

TEST(SnowflakeGenerator, LayoutWithoutWorkerBits) {
    SnowflakeGenerator generator({.layout = layout(0, 41, 0, 22)});
    EXPECT_EQ(generator.max_take(), std::uint64_t{1001} << 22);
    std::int64_t last = -1;
    for (int i = 0; i < 1000; ++i) {
        const auto run = generator.take(now + i, 5000);
        ASSERT_TRUE(run);
        ASSERT_GT(generator.id(run->first), last);
        last = generator.id(run->first + 4999);
    }
}

}  // namespace
}  // namespace frond
