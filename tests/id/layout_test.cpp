#include <frond/snowflake_layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>

namespace frond {
namespace {

constexpr std::int64_t farthest = std::int64_t{1} << 62;

SnowflakeLayout layout(std::int64_t epoch_ms, int timestamp_bits, int worker_bits, int sequence_bits) {
    return SnowflakeLayout::make(epoch_ms, timestamp_bits, worker_bits, sequence_bits).value();
}

TEST(SnowflakeLayout, DefaultsToLeafs) {
    const SnowflakeLayout leaf;
    EXPECT_EQ(leaf, layout(1288834974657, 41, 10, 12));
    EXPECT_EQ(leaf.max_timestamp(), (std::int64_t{1} << 41) - 1);
    EXPECT_EQ(leaf.max_worker_id(), 1023);
    EXPECT_EQ(leaf.max_sequence(), 4095);
    EXPECT_EQ(leaf.last_timestamp_ms(), 1288834974657 + (std::int64_t{1} << 41) - 1);
}

TEST(SnowflakeLayout, KnownIdOfTwitterTakesApart) {
    const auto parts = SnowflakeLayout().decode(1292861158397423615);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->timestamp_ms, (1292861158397423615 >> 22) + 1288834974657);
    EXPECT_EQ(parts->worker_id, (1292861158397423615 >> 12) & 1023);
    EXPECT_EQ(parts->sequence, 1292861158397423615 & 4095);
}

struct Invalid {
    std::int64_t epoch_ms;
    int timestamp_bits;
    int worker_bits;
    int sequence_bits;
    const char* field;
};

class InvalidLayout : public testing::TestWithParam<Invalid> {};

TEST_P(InvalidLayout, IsRefusedAndTheFieldNamed) {
    const auto [epoch_ms, timestamp_bits, worker_bits, sequence_bits, field] = GetParam();
    const auto made = SnowflakeLayout::make(epoch_ms, timestamp_bits, worker_bits, sequence_bits);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errc::invalid_configuration);
    EXPECT_NE(made.error().detail.find(field), std::string::npos) << made.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, InvalidLayout,
    testing::Values(Invalid{farthest + 1, 41, 10, 12, "epoch"}, Invalid{-farthest - 1, 41, 10, 12, "epoch"},
                    Invalid{INT64_MIN, 41, 10, 12, "epoch"}, Invalid{INT64_MAX, 41, 10, 12, "epoch"},
                    Invalid{0, 0, 10, 12, "timestamp_bits"}, Invalid{0, -1, 10, 12, "timestamp_bits"},
                    Invalid{0, 64, 0, 0, "timestamp_bits"}, Invalid{0, INT32_MAX, 0, 0, "timestamp_bits"},
                    Invalid{0, 41, -1, 12, "worker_bits"}, Invalid{0, 1, 63, 0, "worker_bits"},
                    Invalid{0, 41, INT32_MIN, 12, "worker_bits"}, Invalid{0, 41, 10, -1, "sequence_bits"},
                    Invalid{0, 1, 0, 63, "sequence_bits"}, Invalid{0, 41, 10, INT32_MAX, "sequence_bits"},
                    Invalid{0, 41, 10, 13, "64"}, Invalid{0, 63, 1, 0, "64"}, Invalid{0, 1, 1, 62, "64"}));

TEST(SnowflakeLayout, TakesEverySumUpTo63) {
    for (int timestamp_bits = 1; timestamp_bits <= 63; ++timestamp_bits) {
        for (int worker_bits = 0; timestamp_bits + worker_bits <= 63 && worker_bits <= 62; ++worker_bits) {
            const int sequence_bits = 63 - timestamp_bits - worker_bits;
            ASSERT_TRUE(SnowflakeLayout::make(0, timestamp_bits, worker_bits, sequence_bits));
            const SnowflakeLayout full = layout(0, timestamp_bits, worker_bits, sequence_bits);
            const auto highest = full.encode({full.max_timestamp(), full.max_worker_id(), full.max_sequence()});
            ASSERT_TRUE(highest);
            ASSERT_EQ(*highest, INT64_MAX);
        }
    }
}

TEST(SnowflakeLayout, LastTimestampSaturates) {
    EXPECT_EQ(layout(1, 63, 0, 0).last_timestamp_ms(), INT64_MAX);
    EXPECT_EQ(layout(farthest, 63, 0, 0).last_timestamp_ms(), INT64_MAX);
    EXPECT_EQ(layout(0, 63, 0, 0).last_timestamp_ms(), INT64_MAX);
    EXPECT_EQ(layout(-1, 63, 0, 0).last_timestamp_ms(), INT64_MAX - 1);
    EXPECT_EQ(layout(-farthest, 1, 0, 0).last_timestamp_ms(), -farthest + 1);
}

TEST(SnowflakeLayout, RoundTripsOverRandomLayouts) {
    std::mt19937_64 random(20101104);
    for (int round = 0; round < 20'000; ++round) {
        const int timestamp_bits = static_cast<int>(random() % 62) + 1;
        const int worker_bits = static_cast<int>(random() % static_cast<unsigned>(64 - timestamp_bits));
        const int sequence_bits = static_cast<int>(random() % static_cast<unsigned>(64 - timestamp_bits - worker_bits));
        const auto epoch_ms = static_cast<std::int64_t>(random() >> 2) - farthest / 2;
        const auto made =
            SnowflakeLayout::make(epoch_ms, timestamp_bits, std::min(worker_bits, 62), std::min(sequence_bits, 62));
        ASSERT_TRUE(made) << made.error().detail;
        const SnowflakeParts parts{
            .timestamp_ms = epoch_ms + static_cast<std::int64_t>(random()) % 2 +
                            static_cast<std::int64_t>(random() & static_cast<std::uint64_t>(made->max_timestamp() / 2)),
            .worker_id = static_cast<std::int64_t>(random() & static_cast<std::uint64_t>(made->max_worker_id())),
            .sequence = static_cast<std::int64_t>(random() & static_cast<std::uint64_t>(made->max_sequence()))};
        const auto id = made->encode(parts);
        if (parts.timestamp_ms < epoch_ms) {
            ASSERT_FALSE(id);
            continue;
        }
        ASSERT_TRUE(id);
        ASSERT_GE(*id, 0);
        const auto back = made->decode(*id);
        ASSERT_TRUE(back);
        ASSERT_EQ(*back, parts);
    }
}

TEST(SnowflakeLayout, RefusesPartsThatSpoilOtherFields) {
    const SnowflakeLayout leaf;
    const std::int64_t epoch = leaf.epoch_ms();
    EXPECT_TRUE(leaf.encode({epoch, 1023, 4095}));
    for (const SnowflakeParts& parts :
         {SnowflakeParts{epoch, 1024, 0}, SnowflakeParts{epoch, -1, 0}, SnowflakeParts{epoch, 0, 4096},
          SnowflakeParts{epoch, 0, -1}, SnowflakeParts{epoch - 1, 0, 0},
          SnowflakeParts{leaf.last_timestamp_ms() + 1, 0, 0}, SnowflakeParts{INT64_MIN, 0, 0},
          SnowflakeParts{INT64_MAX, 0, 0}}) {
        const auto id = leaf.encode(parts);
        ASSERT_FALSE(id) << parts.timestamp_ms << ' ' << parts.worker_id << ' ' << parts.sequence;
        EXPECT_EQ(id.error().code, errc::invalid_id);
    }
}

TEST(SnowflakeLayout, RefusesIdsThatAreNone) {
    const SnowflakeLayout narrow = layout(0, 20, 5, 7);
    EXPECT_TRUE(narrow.decode((std::int64_t{1} << 32) - 1));
    for (const std::int64_t id : {std::int64_t{1} << 32, INT64_MAX, std::int64_t{-1}, INT64_MIN}) {
        const auto parts = narrow.decode(id);
        ASSERT_FALSE(parts) << id;
        EXPECT_EQ(parts.error().code, errc::invalid_id);
    }
}

// A field of 63 bits reaches past the end of int64 milliseconds when the epoch is after 1970, and a far epoch before
// 1970 makes differences that int64 cannot hold.
TEST(SnowflakeLayout, NeverWrapsAtTheEndOfInt64) {
    const SnowflakeLayout late = layout(farthest, 63, 0, 0);
    EXPECT_EQ(late.decode(INT64_MAX - farthest)->timestamp_ms, INT64_MAX);
    ASSERT_FALSE(late.decode(INT64_MAX - farthest + 1));
    ASSERT_FALSE(late.decode(INT64_MAX));
    EXPECT_EQ(late.decode(INT64_MAX).error().code, errc::invalid_id);

    const SnowflakeLayout early = layout(-farthest, 63, 0, 0);
    EXPECT_EQ(*early.encode({farthest - 1, 0, 0}), INT64_MAX);
    EXPECT_FALSE(early.encode({farthest, 0, 0}));
    EXPECT_FALSE(early.encode({INT64_MAX, 0, 0}));
    EXPECT_FALSE(early.bounds(farthest, INT64_MAX));
    EXPECT_EQ(early.bounds(farthest - 1, INT64_MAX)->first, INT64_MAX);
}

TEST(SnowflakeLayout, BoundsHoldExactlyTheIdsOfTheSpan) {
    const SnowflakeLayout leaf;
    const std::int64_t day = leaf.epoch_ms() + 86'400'000;
    const auto bounds = leaf.bounds(day, day + 86'399'999);
    ASSERT_TRUE(bounds);
    EXPECT_EQ(*leaf.decode(bounds->first), (SnowflakeParts{day, 0, 0}));
    EXPECT_EQ(*leaf.decode(bounds->last), (SnowflakeParts{day + 86'399'999, 1023, 4095}));
    EXPECT_EQ(leaf.decode(bounds->first - 1)->timestamp_ms, day - 1);
    EXPECT_EQ(leaf.decode(bounds->last + 1)->timestamp_ms, day + 86'400'000);
}

TEST(SnowflakeLayout, BoundsAreCutToTheField) {
    const SnowflakeLayout leaf;
    const auto all = leaf.bounds(INT64_MIN, INT64_MAX);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->first, 0);
    EXPECT_EQ(all->last, INT64_MAX);
    EXPECT_EQ(leaf.bounds(leaf.epoch_ms() - 5, leaf.epoch_ms())->last, (std::int64_t{1} << 22) - 1);

    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{5, 4},
                                   {INT64_MIN, leaf.epoch_ms() - 1},
                                   {leaf.last_timestamp_ms() + 1, INT64_MAX}}) {
        const auto bounds = leaf.bounds(from, to);
        ASSERT_FALSE(bounds) << from;
        EXPECT_EQ(bounds.error().code, errc::bad_request);
    }
}

}  // namespace
}  // namespace frond
