// Many threads on one buffer: every ID once, the IDs of one thread grow.
#include "segment/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace frond::segment {
namespace {

struct Shape {
    int takers;
    std::int64_t width;
    std::uint64_t most;  // IDs of one take
    std::int64_t ranges;
    std::int64_t delta;
};

// Takes random numbers of IDs until `over`, and nothing is left.
std::vector<Run> take_all(SegmentBuffer& buffer, const std::atomic<bool>& over, std::uint64_t most, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Run> mine;
    Taken out;
    for (;;) {
        const bool last_round = over;
        if (!buffer.take(1 + random() % most, out) && !buffer.take(1, out)) {
            if (last_round) return mine;
            std::this_thread::yield();
            continue;
        }
        for (unsigned i = 0; i < out.size; ++i) {
            EXPECT_TRUE(mine.empty() || out.runs[i].first > mine.back().last()) << "IDs of one thread grow";
            mine.push_back(out.runs[i]);
        }
    }
}

class BufferThreads : public testing::TestWithParam<Shape> {};

TEST_P(BufferThreads, GiveEveryIdExactlyOnce) {
    const Shape shape = GetParam();
    SegmentBuffer buffer;
    std::atomic<bool> over{false};
    std::vector<std::vector<segment::Run>> taken(static_cast<std::size_t>(shape.takers));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        threads.emplace_back([&, i] { taken[i] = take_all(buffer, over, shape.most, static_cast<unsigned>(i) + 1); });
    }
    // With holes between the ranges, so that a number from the wrong range shows.
    for (std::int64_t i = 0; i < shape.ranges;) {
        if (!buffer.has_room()) {
            std::this_thread::yield();
            continue;
        }
        const std::int64_t first = i * 2 * shape.width * shape.delta;
        const Range range{first, first + shape.width * shape.delta, shape.delta, 0};
        buffer.publish(range, *run_of(range, "k"));
        ++i;
    }
    over = true;
    for (std::thread& thread : threads) thread.join();

    std::vector<std::int64_t> ids;
    for (const auto& runs : taken) {
        for (const segment::Run& run : runs) {
            for (std::int64_t i = 0; i < run.count; ++i) ids.push_back(run.first + i * run.delta);
        }
    }
    std::sort(ids.begin(), ids.end());
    ASSERT_EQ(ids.size(), static_cast<std::size_t>(shape.ranges * shape.width));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const std::int64_t range = index / shape.width;
        ASSERT_EQ(ids[i], (range * 2 * shape.width + index % shape.width) * shape.delta);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BufferThreads,
                         testing::Values(Shape{64, 8, 1, 5'000, 1},    // the last slot of uid-generator #105
                                         Shape{8, 1, 3, 20'000, 1},    // every take spans ranges
                                         Shape{8, 10, 25, 10'000, 7},  // and with delta
                                         Shape{4, 1000, 300, 2'000, 1}));

// Takers beside close(): what they got and the tails together are every ID once.
TEST(BufferThreads, CloseExcludesTakersThatHaveAlreadyLooked) {
    for (int round = 0; round < 30; ++round) {
        SegmentBuffer buffer;
        for (std::int64_t i = 0; i < 3; ++i) {
            const Range range{i * 100'000, (i + 1) * 100'000, 1, 0};
            buffer.publish(range, *run_of(range, "k"));
        }
        std::atomic<int> at_work{0};
        std::vector<std::int64_t> counts(8);
        std::vector<std::int64_t> highest(8, -1);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            threads.emplace_back([&, i] {
                ++at_work;
                Taken out;
                while (buffer.take(3, out)) {
                    counts[i] += 3;
                    highest[i] = out.runs[out.size - 1].last();
                }
            });
        }
        while (at_work < 8) std::this_thread::yield();
        const std::vector<Range> tails = buffer.close();
        for (std::thread& thread : threads) thread.join();

        std::int64_t left = 0;
        for (const Range& tail : tails) left += tail.last_exclusive - tail.first;
        std::int64_t taken = 0;
        for (const std::int64_t count : counts) taken += count;
        ASSERT_EQ(taken + left, 300'000);
        ASSERT_EQ(*std::max_element(highest.begin(), highest.end()), taken - 1);
    }
}

}  // namespace
}  // namespace frond::segment
