// close(): after it nothing is issued, and what it returns covers all that was.
#include <frond/snowflake_generator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace frond {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

TEST(GeneratorClose, ExcludesEveryLaterTaker) {
    SnowflakeGenerator generator({.layout = {}});
    ASSERT_TRUE(generator.take(now, 10'000));
    EXPECT_EQ(generator.close(), now + 2);
    EXPECT_TRUE(generator.closed());
    const auto run = generator.take(now + 100);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, errc::lease_lost);
    generator.raise_limit(INT64_MAX);
    EXPECT_FALSE(generator.take(now + 100));
    EXPECT_EQ(generator.close(), now + 2) << "closing twice says the same";
}

TEST(GeneratorClose, OfAnUnusedGeneratorReturnsItsFloor) {
    SnowflakeGenerator generator({.layout = {}, .floor_ms = now});
    EXPECT_EQ(generator.close(), now);
    SnowflakeGenerator unbounded({.layout = {}});
    EXPECT_EQ(unbounded.close(), SnowflakeLayout::leaf_epoch_ms - 1);
}

// 64 threads hammer while another closes: whoever was refused never got an ID later, and the timestamp returned is
// the highest of all.
TEST(GeneratorClose, ExcludesTakersThatHaveAlreadyLooked) {
    for (int round = 0; round < 20; ++round) {
        SnowflakeGenerator generator({.layout = SnowflakeLayout::make(0, 60, 0, 1).value(), .max_ahead_ms = 1'000'000});
        std::atomic<int> hammering{0};
        std::atomic<bool> closed{false};
        std::atomic<int> issued_after{0};
        std::vector<std::int64_t> highest(64);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < highest.size(); ++i) {
            threads.emplace_back([&, i] {
                ++hammering;
                while (hammering < 64) std::this_thread::yield();
                for (;;) {
                    const bool was_closed = closed.load();
                    const auto run = generator.take(now);
                    if (!run) break;
                    if (was_closed) ++issued_after;
                    highest[i] = generator.layout().decode(generator.id(run->first))->timestamp_ms;
                }
            });
        }
        while (generator.last_timestamp_ms() < now + 100) std::this_thread::yield();
        const std::int64_t last = generator.close();
        closed = true;
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(issued_after, 0);
        ASSERT_EQ(*std::max_element(highest.begin(), highest.end()), last);
    }
}

}  // namespace
}  // namespace frond
