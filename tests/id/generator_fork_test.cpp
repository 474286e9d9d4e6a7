// What fork() copies must not issue, and no two generators of a process share a worker ID and layout.
#include <frond/snowflake_generator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace frond {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

// What `body` returned in a child made by fork(); false when the child died otherwise.
template <class Body>
bool in_child(Body body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body() ? 0 : 1);
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool refuses(SnowflakeGenerator& generator) {
    const auto run = generator.take(now + 1000);
    return !run && run.error().code == errc::lease_lost && run.error().detail.find("fork") != std::string::npos;
}

TEST(GeneratorFork, TheChildRefusesAndTheParentGoesOn) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1});
    SnowflakeGenerator other({.layout = {}, .worker_id = 2});
    ASSERT_TRUE(generator.take(now));
    EXPECT_TRUE(in_child([&] { return refuses(generator) && refuses(other) && generator.closed(); }));
    EXPECT_FALSE(generator.closed());
    EXPECT_TRUE(generator.take(now));
    EXPECT_TRUE(other.take(now));
}

TEST(GeneratorFork, RaisingTheLimitInTheChildOpensNothing) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1, .limit_ms = now});
    EXPECT_TRUE(in_child([&] {
        generator.raise_limit(INT64_MAX);
        return refuses(generator);
    }));
}

TEST(GeneratorFork, TheChildMayHaveOneOfItsOwnAndSoMayItsChildren) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1});
    EXPECT_TRUE(in_child([&] {
        SnowflakeGenerator own({.layout = {}, .worker_id = 2});
        return own.take(now) && refuses(generator) && in_child([&] { return refuses(own) && refuses(generator); }) &&
               own.take(now);
    }));
}

TEST(GeneratorFork, AClosedGeneratorOfTheParentIsJustClosed) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1});
    generator.close();
    EXPECT_TRUE(in_child([&] {
        const auto run = generator.take(now);
        return !run && run.error().code == errc::lease_lost && run.error().detail.empty();
    }));
}

TEST(GeneratorFork, TheCopyCanBeDestroyedInTheChild) {
    auto generator = std::make_unique<SnowflakeGenerator>(SnowflakeGenerator::Options{.layout = {}, .worker_id = 1});
    auto other = std::make_unique<SnowflakeGenerator>(SnowflakeGenerator::Options{.layout = {}, .worker_id = 2});
    EXPECT_TRUE(in_child([&] {
        generator.reset();
        other.reset();
        SnowflakeGenerator again({.layout = {}, .worker_id = 1});
        return static_cast<bool>(again.take(now));
    }));
    EXPECT_TRUE(generator->take(now));
}

// Takers, openers and closers run while the process forks: each child finds a list that is whole.
TEST(GeneratorFork, BesideThreadsThatTakeOpenAndClose) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 1, .max_ahead_ms = 1'000'000'000});
    std::atomic<bool> ended{false};
    std::atomic<int> taken{0};
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            while (!ended) ++(generator.take(now) ? taken : refused);
        });
        threads.emplace_back([&, i] {
            while (!ended) {
                SnowflakeGenerator own({.layout = {}, .worker_id = 10 + i});
                ++(own.take(now) ? taken : refused);
                own.close();
            }
        });
    }
    while (taken < 1000) std::this_thread::yield();
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(in_child([&] {
            if (!refuses(generator)) return false;
            const SnowflakeGenerator own({.layout = {}, .worker_id = 10});
            return !own.closed();
        }));
    }
    const int before = taken;
    while (taken < before + 1000) std::this_thread::yield();
    ended = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(refused, 0) << "the parent never notices";
}

TEST(GeneratorTwins, AreRefusedWhileTheFirstIsOpen) {
    SnowflakeGenerator generator({.layout = {}, .worker_id = 7});
    EXPECT_THROW(SnowflakeGenerator({.layout = {}, .worker_id = 7}), std::invalid_argument);
    try {
        SnowflakeGenerator({.layout = {}, .worker_id = 7});
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("worker ID 7"));
    }
    EXPECT_TRUE(generator.take(now)) << "the first is not harmed";
    EXPECT_NO_THROW(SnowflakeGenerator({.layout = {}, .worker_id = 8}));
    const SnowflakeLayout other = SnowflakeLayout::make(0, 41, 10, 12).value();
    EXPECT_NO_THROW(SnowflakeGenerator({.layout = other, .worker_id = 7}));
}

TEST(GeneratorTwins, MayFollowOneThatWasClosedOrDestroyed) {
    { const SnowflakeGenerator generator({.layout = {}, .worker_id = 7}); }
    SnowflakeGenerator first({.layout = {}, .worker_id = 7});
    first.close();
    SnowflakeGenerator second({.layout = {}, .worker_id = 7, .floor_ms = first.last_timestamp_ms()});
    EXPECT_TRUE(second.take(now));
    EXPECT_FALSE(first.take(now));
    first.close();
    EXPECT_TRUE(second.take(now));
}

TEST(GeneratorTwins, ARefusedOneLeavesNothingBehind) {
    EXPECT_THROW(SnowflakeGenerator({.layout = {}, .worker_id = 7, .max_ahead_ms = -1}), std::invalid_argument);
    SnowflakeGenerator first({.layout = {}, .worker_id = 7});
    EXPECT_THROW(SnowflakeGenerator({.layout = {}, .worker_id = 7}), std::invalid_argument);
    first.close();
    EXPECT_NO_THROW(SnowflakeGenerator({.layout = {}, .worker_id = 7}));
}

// Of many threads that want one number at once, one gets it.
TEST(GeneratorTwins, OfThreadsThatOpenAtOnceOneWins) {
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> ready{0};
        std::atomic<int> done{0};
        std::atomic<int> opened{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                ++ready;
                while (ready < 4) std::this_thread::yield();
                try {
                    const SnowflakeGenerator generator({.layout = {}, .worker_id = 7});
                    ++opened;
                    ++done;
                    while (done < 4) std::this_thread::yield();
                } catch (const std::invalid_argument&) {
                    ++done;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(opened, 1);
    }
}

}  // namespace
}  // namespace frond
