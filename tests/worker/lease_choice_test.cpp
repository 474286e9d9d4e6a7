#include "worker/lease_choice.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace frond::worker {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t now_ms = 1'700'000'000'000;

class LeaseChoiceTest : public testing::Test {
protected:
    LeaseChoiceTest() {
        chooser_.identity = "me";
        chooser_.space = *make_space({}, 0, 0);
        survey_.name.space = chooser_.space;
        survey_.next_number = 10;
        registry_ahead(0);
    }

    void registry_ahead(std::int64_t ms) {
        survey_.clock = RegistryClock{now_ms + ms, SteadyTime(milliseconds(5'000))};
    }
    [[nodiscard]] Moment moment() const { return {now_ms, SteadyTime(milliseconds(5'000))}; }

    RecordView& add(std::int64_t number, const std::string& identity, std::int64_t fence, LeaseState state) {
        const LeaseRecord record{
            fmt::format("owner {}", number), "w", identity, "", "", now_ms, fence, state, chooser_.space};
        survey_.records.push_back({number, 3, now_ms, record, fmt::format("node-{}", number), {}});
        return survey_.records.back();
    }
    // A live instance whose clock is this much ahead of the registry's.
    void add_peer(std::int64_t number, std::int64_t ahead) {
        RecordView& view = add(number, fmt::format("peer {}", number), now_ms + 900'000, LeaseState::held);
        view.modified_ms = survey_.clock->ms - 1'000;
        view.record->timestamp = view.modified_ms + ahead;
    }
    [[nodiscard]] Choice choice(std::uint64_t turn = 0, const WorkerState* state = nullptr,
                                const Permission& permission = {}) const {
        return choose(survey_, chooser_, moment(), now_ms, state, permission, turn);
    }
    [[nodiscard]] std::vector<std::int64_t> numbers(std::uint64_t turn = 0) const {
        std::vector<std::int64_t> all;
        for (const Candidate& candidate : choice(turn).candidates) all.push_back(candidate.number);
        return all;
    }
    [[nodiscard]] ClockVerdict clocks() const { return judge_clocks(survey_, chooser_, moment()); }

    Chooser chooser_;
    Survey survey_;
};

using Numbers = std::vector<std::int64_t>;

TEST_F(LeaseChoiceTest, PrefersTheOwnRecordThenOthersThenANewNumber) {
    add(1, "other", now_ms, LeaseState::released);
    add(2, "me", now_ms, LeaseState::released);
    add(3, "other", now_ms - 10'001, LeaseState::held);
    add(4, "other", now_ms - 10'000, LeaseState::held);
    EXPECT_EQ(numbers(), (Numbers{2, 1, 3})) << "4 is not past by more than the skew";
    EXPECT_TRUE(choice().may_create);
    EXPECT_EQ(choice().next_free_ms, now_ms + 1);
}

TEST_F(LeaseChoiceTest, OthersBeginAtTheTurn) {
    for (int i = 0; i < 3; ++i) add(i, "other", now_ms, LeaseState::released);
    EXPECT_EQ(numbers(0), (Numbers{0, 1, 2}));
    EXPECT_EQ(numbers(1), (Numbers{1, 2, 0}));
    EXPECT_EQ(numbers(5), (Numbers{2, 0, 1}));
}

TEST_F(LeaseChoiceTest, NeverTakesWhatIsForeignReservedOrOutsideTheShare) {
    survey_.first_number = 1;
    chooser_.space = *make_space({}, 0, 4);
    survey_.name.space = chooser_.space;
    survey_.next_number = 4;
    add(0, "other", now_ms, LeaseState::released);
    add(4, "other", now_ms, LeaseState::released);
    survey_.records.push_back({2, 0, now_ms, std::nullopt, "10.0.0.1:8080-0000000002", {}});
    survey_.records.push_back({3, 0, now_ms, std::nullopt, "node-3", "it cannot be read"});
    EXPECT_TRUE(choice().candidates.empty());
    EXPECT_FALSE(choice().may_create) << "the counter is at the limit";
}

TEST_F(LeaseChoiceTest, AReleasedFenceFarAheadIsNoCandidate) {
    add(1, "other", now_ms + 1'000, LeaseState::released);
    add(2, "other", now_ms + 1'001, LeaseState::released);
    EXPECT_EQ(numbers(), (Numbers{1}));
    EXPECT_EQ(choice().next_free_ms, now_ms + 1);
}

// By the registry's clock it is free, by ours its floor is out of reach: it would be taken for nothing.
TEST_F(LeaseChoiceTest, AFloorOutOfReachOfTheOwnClockIsNoCandidate) {
    add(1, "other", now_ms + 10'500, LeaseState::released);
    const auto by_registry = choose(survey_, chooser_, moment(), now_ms + 10'000, nullptr, {}, 0);
    EXPECT_TRUE(by_registry.candidates.empty());
    EXPECT_TRUE(by_registry.next_free_ms);
    survey_.records[0].record->fence = now_ms + 10'000;
    EXPECT_EQ(choose(survey_, chooser_, moment(), now_ms + 10'000, nullptr, {}, 0).candidates.size(), 1U);
}

TEST_F(LeaseChoiceTest, FloorsAreTheFenceThatWasFound) {
    add(1, "other", now_ms, LeaseState::released);
    add(2, "other", now_ms - 20'000, LeaseState::held);
    auto candidates = choice().candidates;
    EXPECT_EQ(candidates[0].floor, now_ms);
    EXPECT_EQ(candidates[1].floor, now_ms - 10'000) << "and the skew, as some writes may have been lost";
    EXPECT_EQ(candidates[1].fence, now_ms - 20'000);
    survey_.name.floor = now_ms + 7;
    for (const Candidate& candidate : choice().candidates) EXPECT_EQ(candidate.floor, now_ms + 7);
}

TEST_F(LeaseChoiceTest, ResumesOnlyItsOwnRecordByPermission) {
    WorkerState state;
    state.worker_id = 1;
    state.owner = "owner 1";
    state.watermark = now_ms + 100;
    add(1, "me", now_ms + 900'000, LeaseState::held);
    EXPECT_TRUE(choice(0, &state, {}).candidates.empty());
    const auto resumed = choice(0, &state, {true, std::nullopt}).candidates;
    ASSERT_EQ(resumed.size(), 1U);
    EXPECT_TRUE(resumed[0].resume);
    EXPECT_EQ(resumed[0].floor, now_ms + 100);
    EXPECT_EQ(resumed[0].fence, now_ms + 900'000);
    state.owner = "another";
    EXPECT_TRUE(choice(0, &state, {true, std::nullopt}).candidates.empty());
    state.owner = "owner 1";
    state.worker_id = 2;
    EXPECT_TRUE(choice(0, &state, {true, std::nullopt}).candidates.empty());
}

TEST_F(LeaseChoiceTest, AnOwnRecordALittleAheadIsWaitedFor) {
    add(1, "me", now_ms + 5'000, LeaseState::released);
    ASSERT_TRUE(choice().wait);
    EXPECT_EQ(choice().wait->code, errc::clock_rollback);
    EXPECT_NE(choice().wait->detail.find("5000 ms behind"), std::string::npos) << choice().wait->detail;
    survey_.records[0].record->fence = now_ms + 10'001;
    EXPECT_FALSE(choice().wait) << "beyond the skew another one is taken";
    survey_.records[0].record->fence = now_ms + 5'000;
    survey_.records[0].record->identity = "other";
    EXPECT_FALSE(choice().wait);
}

TEST_F(LeaseChoiceTest, AWatermarkFarAheadIsNotResumed) {
    WorkerState state;
    state.worker_id = 1;
    state.owner = "owner 1";
    add(1, "me", now_ms + 900'000, LeaseState::held);
    const Permission resume{true, std::nullopt};
    state.watermark = now_ms + 10'001;
    EXPECT_TRUE(choice(0, &state, resume).candidates.empty());
    EXPECT_FALSE(choice(0, &state, resume).wait);
    state.watermark = now_ms + 10'000;
    EXPECT_TRUE(choice(0, &state, resume).wait);
    state.watermark = now_ms + 1'000;
    EXPECT_FALSE(choice(0, &state, resume).wait);
    EXPECT_EQ(choice(0, &state, resume).candidates.size(), 1U);
}

// ---- clocks

TEST_F(LeaseChoiceTest, ClocksThatAgreeWithinTheSkewAreFine) {
    registry_ahead(10'000);
    EXPECT_FALSE(clocks().refused);
    EXPECT_EQ(clocks().reference_ms, now_ms + 10'000) << "what is past goes by the registry's time";
    survey_.clock.reset();
    EXPECT_FALSE(clocks().refused);
    EXPECT_EQ(clocks().reference_ms, now_ms);
}

TEST_F(LeaseChoiceTest, TheAgeOfTheReadingCounts) {
    survey_.clock = RegistryClock{now_ms - 60'000, SteadyTime(milliseconds(5'000 - 60'000))};
    EXPECT_FALSE(clocks().refused);
    EXPECT_EQ(clocks().reference_ms, now_ms);
}

TEST_F(LeaseChoiceTest, AloneWithARegistryThatDisagreesRefuses) {
    registry_ahead(3'600'000);
    ASSERT_TRUE(clocks().refused);
    EXPECT_EQ(clocks().refused->code, errc::clock_rollback);
    const std::string text = clocks().refused->detail;
    EXPECT_NE(text.find("2023-11-14T22:13:20.000Z"), std::string::npos) << text;
    EXPECT_NE(text.find("2023-11-14T23:13:20.000Z"), std::string::npos) << text;
    EXPECT_NE(text.find("3600000 ms ahead"), std::string::npos) << text;
    registry_ahead(-10'001);
    EXPECT_TRUE(clocks().refused);
}

TEST_F(LeaseChoiceTest, PeersThatAgreeWithUsOutvoteTheRegistry) {
    registry_ahead(3'600'000);
    add_peer(1, -3'600'000);
    add_peer(2, -3'599'000);
    add_peer(3, 0);
    EXPECT_FALSE(clocks().refused);
    EXPECT_FALSE(clocks().warning.empty());
    EXPECT_EQ(clocks().reference_ms, now_ms);
}

TEST_F(LeaseChoiceTest, PeersThatAgreeWithTheRegistryOutvoteUs) {
    registry_ahead(3'600'000);
    add_peer(1, 100);
    add_peer(2, -100);
    ASSERT_TRUE(clocks().refused);
    EXPECT_NE(clocks().refused->detail.find("median of 2"), std::string::npos) << clocks().refused->detail;
}

TEST_F(LeaseChoiceTest, TheDeadTheReleasedAndOurselvesHaveNoVote) {
    registry_ahead(3'600'000);
    add_peer(1, -3'600'000);
    survey_.records[0].modified_ms -= 30'000;
    survey_.records[0].record->timestamp -= 30'000;
    add_peer(2, -3'600'000);
    survey_.records[1].record->state = LeaseState::released;
    add_peer(3, -3'600'000);
    survey_.records[2].record->identity = "me";
    add_peer(4, -3'600'000);
    survey_.records[3].modified_ms += 1'000'000;
    survey_.records[3].record->timestamp += 1'000'000;
    survey_.first_number = 1;
    add_peer(0, -3'600'000);
    EXPECT_TRUE(clocks().refused);
}

// ---- contradictions

TEST_F(LeaseChoiceTest, NamesWhatContradicts) {
    EXPECT_EQ(contradiction_in(survey_, chooser_.space, "orders"), "");
    const LeaseSpace half = *make_space({}, 512, 512);
    const std::string of_name = contradiction_in(survey_, half, "orders");
    EXPECT_NE(of_name.find("the name orders was made with"), std::string::npos) << of_name;
    EXPECT_NE(of_name.find("offset 512, limit 512"), std::string::npos) << of_name;

    survey_.name.space = half;
    add(7, "stranger", now_ms, LeaseState::held);
    const std::string text = contradiction_in(survey_, half, "orders");
    EXPECT_NE(text.find("node-7"), std::string::npos) << text;
    EXPECT_NE(text.find("stranger"), std::string::npos) << text;
}

TEST_F(LeaseChoiceTest, BesideLeafTheLayoutMustBeLeafs) {
    survey_.records.push_back({2, 0, now_ms, std::nullopt, "10.0.0.1:8080-0000000002", {}});
    EXPECT_EQ(contradiction_in(survey_, chooser_.space, "orders"), "");
    const LeaseSpace other = *make_space(*SnowflakeLayout::make(0, 41, 10, 12), 0, 0);
    survey_.name.space = other;
    EXPECT_NE(contradiction_in(survey_, other, "orders").find("made by Leaf"), std::string::npos);
    survey_.records[0].problem = "Frond made it, but it cannot be read";
    EXPECT_EQ(contradiction_in(survey_, other, "orders"), "");
}

}  // namespace
}  // namespace frond::worker
