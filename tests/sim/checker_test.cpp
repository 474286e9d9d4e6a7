#include "sim/checker.hpp"

#include "sim/sim_registry.hpp"

#include <gtest/gtest.h>

namespace frond::sim {
namespace {

constexpr std::int64_t epoch = SnowflakeLayout::leaf_epoch_ms;
constexpr std::uint64_t first_tick = 1'000'000;

worker::LeaseSpace space() { return {SnowflakeLayout(), 0, 4}; }

worker::LeaseRecord record(std::int64_t fence, worker::LeaseState state = worker::LeaseState::held) {
    worker::LeaseRecord made;
    made.owner = "owner";
    made.fence = fence;
    made.state = state;
    made.space = space();
    return made;
}

class CheckerTest : public testing::Test {
protected:
    CheckerTest() {
        for (int instance = 0; instance < 3; ++instance) checker.committed(0, instance, 0, nullptr, record(INT64_MAX));
    }
    void issue(const Checker::Taker& taker, std::uint64_t first, std::uint64_t count) {
        checker.issued(1, taker, 0, {first, count});
    }
    [[nodiscard]] bool found(Property property) const {
        return checker.violation() && checker.violation()->property == property;
    }

    Checker checker{space(), false};
    Checker::Taker one = checker.new_taker(0);
    Checker::Taker two = checker.new_taker(1);
};

TEST_F(CheckerTest, LetsRunsTouch) {
    issue(one, first_tick, 10);
    issue(two, first_tick + 20, 10);
    issue(one, first_tick + 10, 10);
    issue(two, first_tick - 5, 5);
    EXPECT_FALSE(checker.violation());
    EXPECT_EQ(checker.ids(), 35U);
}

TEST_F(CheckerTest, FindsATickThatComesTwice) {
    issue(one, first_tick, 10);
    issue(two, first_tick + 9, 1);
    EXPECT_TRUE(found(Property::unique));
}

TEST_F(CheckerTest, FindsARunAroundAnother) {
    issue(one, first_tick, 10);
    issue(two, first_tick - 10, 30);
    EXPECT_TRUE(found(Property::unique));
}

TEST_F(CheckerTest, FindsARepetitionByTheSameProcess) {
    issue(one, first_tick, 10);
    issue(one, first_tick + 3, 1);
    EXPECT_TRUE(found(Property::unique));
}

TEST_F(CheckerTest, LetsACopyRepeatWhatBothKnewOf) {
    constexpr std::int64_t shared_ms = 2'000;
    const Checker::Taker copy = checker.copy_taker(one, 2, epoch + shared_ms);
    const std::uint64_t last_shared = (shared_ms + 1) * 4096 - 1;
    issue(one, last_shared, 2);
    issue(copy, last_shared, 1);
    EXPECT_FALSE(checker.violation());
    issue(copy, last_shared + 1, 1);
    EXPECT_TRUE(found(Property::unique));
}

TEST_F(CheckerTest, FindsAnIdAboveEveryFence) {
    const Checker::Taker other = checker.new_taker(3);
    checker.committed(0, 3, 0, nullptr, record(epoch + 500));
    issue(other, 500 * 4096 + 4095, 1);
    EXPECT_FALSE(checker.violation());
    issue(other, 501 * 4096, 1);
    EXPECT_TRUE(found(Property::fenced));
}

TEST_F(CheckerTest, FindsAFenceThatWasLowered) {
    const auto before = record(1'000);
    checker.committed(2, 0, 1, &before, record(900, worker::LeaseState::released));
    EXPECT_FALSE(checker.violation());
    checker.committed(3, 0, 1, &before, record(999));
    EXPECT_TRUE(found(Property::monotone));
}

TEST(CheckerOfMutations, SeesOnlyWhatComesTwice) {
    Checker checker(space(), true);
    const auto before = record(1'000);
    checker.committed(3, 0, 1, &before, record(999));
    EXPECT_FALSE(checker.violation());
}

class RegistryOfTest : public testing::Test {
protected:
    static Scenario calm() {
        Scenario scenario;
        scenario.space = space();
        scenario.clock_faults = false;
        scenario.stale = 0;
        return scenario;
    }
    worker::RegistryReply call(Time now, const worker::RegistryCall& wanted) {
        return registry.execute(now, wanted, {0}).reply;
    }

    const Scenario scenario = calm();
    Random random{1};
    Checker checker{space(), false};
    History history{History::Text::none};
    SimRegistry registry{scenario, random, checker, history};
};

TEST_F(RegistryOfTest, ComparesVersions) {
    const auto made = std::get<worker::Created>(call(1, worker::CreateCall{record(1'000)}));
    const worker::WriteCall write{made.number, made.version, record(2'000)};
    EXPECT_EQ(std::get<worker::Written>(call(2, write)).version, made.version + 1);
    EXPECT_EQ(std::get<worker::RegistryError>(call(3, write)).fault, worker::RegistryFault::conflict);
    EXPECT_EQ(std::get<worker::Found>(call(4, worker::ReadCall{made.number}))->record->fence, 2'000);
}

TEST_F(RegistryOfTest, FindsACreationWhileManyNumbersLieAbout) {
    call(0, worker::CreateCall{record(0)});
    call(0, worker::CreateCall{record(0)});
    EXPECT_FALSE(checker.violation());
    call(60'000, worker::CreateCall{record(0)});
    ASSERT_TRUE(checker.violation());
    EXPECT_EQ(checker.violation()->property, Property::few);
}

TEST_F(RegistryOfTest, FindsAWriteToWhatIsNotFronds) {
    registry.create_foreign(0);
    call(1, worker::WriteCall{0, 0, record(1)});
    ASSERT_TRUE(checker.violation());
    EXPECT_EQ(checker.violation()->property, Property::foreign);
}

}  // namespace
}  // namespace frond::sim
