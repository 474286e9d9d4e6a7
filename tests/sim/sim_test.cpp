#include "sim/run.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

namespace frond::sim {
namespace {

constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t most_seeds = 20'000;

// FROND_SIM_SEEDS: fewer for instrumented builds, more for patience.
std::uint64_t seeds() {
    const char* wanted = std::getenv("FROND_SIM_SEEDS");
    return wanted == nullptr ? most_seeds : std::strtoull(wanted, nullptr, 10);
}

Batch all_seeds(Mutation mutation) {
    return {first_seed, seeds(), mutation, std::max(std::thread::hardware_concurrency(), 1U)};
}

class Simulation : public testing::Test {
protected:
    void SetUp() override { spdlog::set_level(spdlog::level::off); }
};

TEST_F(Simulation, HoldsInAWorldThatMisbehaves) {
    const BatchOutcome outcome = run_batch(all_seeds(Mutation::none));
    ASSERT_FALSE(outcome.failed) << explain(*outcome.failed, Mutation::none);
    EXPECT_EQ(outcome.runs, seeds());

    // It is no proof of anything unless these things happened.
    const Totals& totals = outcome.totals;
    EXPECT_GT(totals.ids, outcome.runs * 100);
    EXPECT_GT(totals.leases, outcome.runs * 5);
    EXPECT_GT(totals.lost, outcome.runs / 20);
    EXPECT_GT(totals.releases, outcome.runs / 10);
    EXPECT_GT(totals.store_errors, outcome.runs / 20);
    EXPECT_GT(totals.take_overs, outcome.runs);
    EXPECT_GT(totals.resumes, outcome.runs / 20);
    EXPECT_GT(totals.offline, outcome.runs / 20);
    EXPECT_GT(totals.copies, outcome.runs / 50);
}

TEST_F(Simulation, IsTheSameFromTheSameSeed) {
    for (std::uint64_t seed = first_seed; seed < first_seed + 50; ++seed) {
        const Outcome once = run(seed);
        const Outcome with_text = run(seed, Mutation::none, History::Text::kept);
        EXPECT_EQ(once.hash, with_text.hash) << seed;
        EXPECT_FALSE(with_text.history.empty());
        Outcome elsewhere;
        std::thread([&] { elsewhere = run(seed); }).join();
        EXPECT_EQ(once.hash, elsewhere.hash) << seed;
    }
    EXPECT_NE(run(first_seed).hash, run(first_seed + 1).hash);
}

class Mutations : public Simulation, public testing::WithParamInterface<MutationName> {};

TEST_P(Mutations, RepeatsAnId) {
    Batch batch = all_seeds(GetParam().mutation);
    batch.count = most_seeds;
    const BatchOutcome outcome = run_batch(batch);
    ASSERT_TRUE(outcome.failed) << "not caught in " << outcome.runs << " runs";
    EXPECT_EQ(outcome.failed->violation->property, Property::unique);
    const Outcome unmutated = run(outcome.failed->seed);
    EXPECT_FALSE(unmutated.violation) << explain(unmutated, Mutation::none);
}

INSTANTIATE_TEST_SUITE_P(EachInvariant, Mutations, testing::ValuesIn(mutations),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace frond::sim
