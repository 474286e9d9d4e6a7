// Many threads on one generator: every ID once.
#include <frond/snowflake_generator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace frond {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

// Runs `body(thread number)` on `count` threads that begin together.
template <class Body>
void on_threads(int count, Body body) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            ++ready;
            while (ready < count) std::this_thread::yield();
            body(i);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

void expect_disjoint(std::vector<TickRun> runs) {
    std::sort(runs.begin(), runs.end(), [](const TickRun& a, const TickRun& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < runs.size(); ++i) {
        ASSERT_LE(runs[i - 1].first + runs[i - 1].count, runs[i].first) << "two threads hold one tick";
    }
}

// Each thread takes with a clock of its own that runs, stands and steps back.
void take_beside_each_other(const SnowflakeLayout& layout, int runs_each) {
    SnowflakeGenerator generator({.layout = layout, .max_ahead_ms = 10'000});
    std::vector<std::vector<TickRun>> taken(8);
    on_threads(8, [&](int thread) {
        std::mt19937_64 random(static_cast<std::uint64_t>(thread));
        std::int64_t clock = now;
        auto& mine = taken[static_cast<std::size_t>(thread)];
        std::uint64_t last = 0;
        while (mine.size() < static_cast<std::size_t>(runs_each)) {
            clock += static_cast<std::int64_t>(random() % 8) - 2;
            const auto run = generator.take(clock, 1 + random() % 4);
            if (!run) continue;
            ASSERT_TRUE(mine.empty() || run->first > last) << "the IDs of one thread grow";
            last = run->first;
            mine.push_back(*run);
        }
    });
    std::vector<TickRun> all;
    for (const auto& mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    expect_disjoint(std::move(all));
}

TEST(GeneratorThreads, TakeDistinctIds) { take_beside_each_other(SnowflakeLayout(), 50'000); }

TEST(GeneratorThreads, TakeDistinctIdsWithTinySequences) {
    take_beside_each_other(SnowflakeLayout::make(0, 60, 0, 1).value(), 20'000);
}

TEST(GeneratorThreads, TakeDistinctIdsWithoutWorkerBits) {
    take_beside_each_other(SnowflakeLayout::make(0, 41, 0, 22).value(), 20'000);
}

TEST(GeneratorThreads, RaisingTheLimitBesideTakersNeverLetsThemPastIt) {
    SnowflakeGenerator generator(
        {.layout = SnowflakeLayout::make(0, 60, 0, 2).value(), .max_ahead_ms = 100'000, .limit_ms = now});
    std::atomic<std::int64_t> highest{now};
    std::atomic<int> left{4};
    on_threads(5, [&](int thread) {
        if (thread == 4) {
            while (left > 0) {
                const std::int64_t next = highest.fetch_add(1) + 1;
                generator.raise_limit(next);
                std::this_thread::yield();
            }
            return;
        }
        bool as_it_should = true;
        for (int got = 0; got < 5000 && as_it_should;) {
            const auto run = generator.take(now);
            if (!run) {
                as_it_should = run.error().code == errc::limit_reached;
                std::this_thread::yield();
                continue;
            }
            ++got;
            as_it_should = generator.layout().decode(generator.id(run->first))->timestamp_ms <= highest;
        }
        EXPECT_TRUE(as_it_should);
        --left;
    });
}

}  // namespace
}  // namespace frond
