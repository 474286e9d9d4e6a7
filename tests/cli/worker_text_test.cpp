#include "cli/worker_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::cli {
namespace {

using testing::HasSubstr;

TEST(Distance, IsInTheTwoLargestUnits) {
    constexpr std::int64_t now = 1'700'000'000'000;
    EXPECT_EQ(distance(now, now), "+0s");
    EXPECT_EQ(distance(now + 999, now), "+0s");
    EXPECT_EQ(distance(now - 999, now), "+0s");
    EXPECT_EQ(distance(now + 897'500, now), "+14m57s");
    EXPECT_EQ(distance(now - 900'000, now), "-15m");
    EXPECT_EQ(distance(now - 3'605'000, now), "-1h");
    EXPECT_EQ(distance(now + 3 * 86'400'000 + 4 * 3'600'000 + 59'000, now), "+3d4h");
    EXPECT_EQ(distance(now + 86'400'000 + 60'000, now), "+1d");
}

TEST(Distance, DoesNotOverflow) {
    EXPECT_THAT(distance(INT64_MAX, INT64_MIN), testing::StartsWith("+213503982334d"));
    EXPECT_THAT(distance(INT64_MIN, INT64_MAX), testing::StartsWith("-213503982334d"));
}

TEST(HighestFence, IsThatOfAllRecords) {
    worker::Survey survey;
    EXPECT_EQ(highest_fence(survey), INT64_MIN);
    survey.records.resize(3);
    EXPECT_EQ(highest_fence(survey), INT64_MIN) << "Leaf's nodes have none";
    survey.records[0].record.emplace().fence = 7;
    survey.records[2].record.emplace().fence = 5;
    EXPECT_EQ(highest_fence(survey), 7);
}

TEST(StateWord, TellsLeafsNodesFromThoseThatCannotBeRead) {
    worker::RecordView view{};
    EXPECT_EQ(state_word(view), "leaf");
    view.problem = "format version 9";
    EXPECT_EQ(state_word(view), "unreadable");
    view.problem.clear();
    view.record.emplace();
    EXPECT_EQ(state_word(view), "held");
    view.record->state = worker::LeaseState::released;
    EXPECT_EQ(state_word(view), "released");
}

// What others wrote into a registry must not steer a terminal.
TEST(WorkerTable, ShowsControlCharactersAsText) {
    WorkerListing listing{"frond", "fake", {}, 0};
    listing.survey.name.space.limit = 4;
    listing.survey.present = {"a\x1b[2J"};
    listing.survey.records.resize(2);
    listing.survey.records[0].record.emplace().identity = "evil\x1b[31m";
    listing.survey.records[1].number = 1;
    listing.survey.records[1].place = "10.0.0.1:8080\n-1";
    const std::string text = worker_table(listing) + worker_text(listing.survey.records[0], listing) +
                             worker_text(listing.survey.records[1], listing);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_THAT(text, HasSubstr("evil\\x1b[31m"));
    EXPECT_THAT(text, HasSubstr("10.0.0.1:8080\\x0a-1"));
}

}  // namespace
}  // namespace frond::cli
