// Numbers: dense, never twice, never one too many.
#include "contract.hpp"

#include <set>

namespace frond::test {
namespace {

using testing::IsEmpty;

TEST_P(LeaseContract, NumbersAreDrawnInTurn) {
    const auto first = joined(member("first"));
    const auto second = joined(member("second"));
    const std::int64_t begin = must(first->survey()).first_number;
    for (std::int64_t i = 0; i < 6; ++i) {
        EXPECT_EQ(must((i % 2 == 0 ? first : second)->create(record())).number, begin + i);
    }
    const Survey survey = must(first->survey());
    EXPECT_EQ(numbers_of(survey), run_of(begin, 6));
    EXPECT_EQ(survey.next_number, begin + 6);
}

TEST_P(LeaseContract, TwelveAtOnceGetTwelveNumbers) {
    const auto numbers = at_once(12, [&](std::size_t) {
        const auto registry = joined(member());
        return must(registry->create(record())).number;
    });
    const Survey survey = must(world->join(member())->survey());
    const std::set<std::int64_t> distinct(numbers.begin(), numbers.end());
    EXPECT_EQ(std::vector(distinct.begin(), distinct.end()), run_of(survey.first_number, 12));
    EXPECT_EQ(numbers_of(survey), run_of(survey.first_number, 12));
    EXPECT_EQ(survey.next_number, survey.first_number + 12);
}

TEST_P(LeaseContract, NothingIsCreatedBeforeTheNameIsJoined) {
    const auto registry = world->join(member());
    EXPECT_TRUE(failed(registry->create(record()), RegistryFault::unavailable)) << told(registry->create(record()));
    EXPECT_THAT(numbers_of(must(registry->survey())), IsEmpty());
}

TEST_P(LeaseContract, ARecordComesBackAsItWasWritten) {
    const auto registry = joined(member());
    LeaseRecord written = record("pod-äöü/名前 🚀 \"quoted\" it's \\ back\nline :name %s");
    written.ip = "";
    written.fence = std::int64_t{1} << 61;
    written.timestamp = -1;
    const auto created = must(registry->create(written));
    const auto expect = [&](const Found& found, const LeaseRecord& wanted, std::int64_t version) {
        ASSERT_TRUE(found);
        EXPECT_EQ(found->number, created.number);
        EXPECT_EQ(found->version, version);
        EXPECT_EQ(found->record, wanted);
        EXPECT_THAT(found->problem, IsEmpty());
        EXPECT_THAT(found->place, testing::Not(IsEmpty()));
    };
    expect(must(registry->read(created.number)), written, created.version);
    expect(must(registry->find(written)), written, created.version);
    expect(records_of(must(registry->survey())).front(), written, created.version);
    expect(must(world->join(member())->read(created.number)), written, created.version);

    LeaseRecord released = again(written);
    released.state = worker::LeaseState::released;
    released.fence = 0;
    const auto replaced = must(registry->write(created.number, created.version, released));
    expect(must(registry->read(created.number)), released, replaced.version);
}

TEST_P(LeaseContract, FindsWhatWasMadeForAnOwner) {
    const auto registry = joined(member());
    const LeaseRecord first = record("first");
    const LeaseRecord second = record("second");
    EXPECT_FALSE(must(registry->find(first)));
    const auto one = must(registry->create(first));
    const auto two = must(registry->create(second));
    EXPECT_EQ(must(registry->find(first))->number, one.number);
    EXPECT_EQ(must(registry->find(second))->number, two.number);
    EXPECT_FALSE(must(registry->find(record())));

    // Taken over by another since.
    const LeaseRecord other = record("other");
    must(joined(member("other"))->write(one.number, one.version, other));
    const Found found = must(registry->find(first));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, one.number);
    EXPECT_EQ(found->record, other);
    EXPECT_FALSE(must(registry->find(other))) << "it was not made for that one";
}

TEST_P(LeaseContract, TheLastNumberIsTheLast) {
    const auto registry = joined(member("instance", 6));
    const std::int64_t first = must(registry->survey()).first_number;
    for (std::int64_t number = first; number < 6; ++number) {
        EXPECT_EQ(must(registry->create(record())).number, number);
    }
    const Survey before = must(registry->survey());
    EXPECT_EQ(before.next_number, 6);
    for (int i = 0; i < 3; ++i) {
        const auto refused = registry->create(record());
        EXPECT_TRUE(failed(refused, RegistryFault::full)) << told(refused);
    }
    const Survey after = must(registry->survey());
    EXPECT_EQ(after.next_number, 6) << "tries do not use up numbers";
    EXPECT_EQ(after.records.size(), before.records.size());
    EXPECT_TRUE(failed(joined(member("other", 6))->create(record()), RegistryFault::full));
}

TEST_P(LeaseContract, OfThoseWhoWantTheLastNumbersTheRestLeavesNothing) {
    const std::int64_t first = must(world->join(member("instance", 4))->survey()).first_number;
    const auto results = at_once(8, [&](std::size_t) {
        const auto registry = joined(member("instance", 4));
        return registry->create(record());
    });
    std::set<std::int64_t> numbers;
    for (const auto& result : results) {
        if (const auto* created = std::get_if<Created>(&result)) {
            EXPECT_TRUE(numbers.insert(created->number).second);
        } else {
            EXPECT_TRUE(failed(result, RegistryFault::full)) << told(result);
        }
    }
    EXPECT_EQ(std::vector(numbers.begin(), numbers.end()), run_of(first, static_cast<std::size_t>(4 - first)));
    const Survey survey = must(world->join(member("instance", 4))->survey());
    EXPECT_EQ(numbers_of(survey), run_of(first, static_cast<std::size_t>(4 - first)));
}

TEST_P(LeaseContract, WhatCannotBeReadIsNobodysRecord) {
    const auto registry = joined(member());
    const LeaseRecord maker = record();
    const std::int64_t first = must(registry->create(record())).number;
    const std::vector<std::string> texts{"nonsense", "{}", "", R"({"version":99})"};
    for (const std::string& text : texts) world->put_unreadable("frond", worker::random_id(), text);
    world->put_unreadable("frond", maker.owner, "nonsense");

    const Survey survey = must(registry->survey());
    EXPECT_EQ(numbers_of(survey), run_of(first, texts.size() + 2));
    for (const RecordView& view : records_of(survey)) {
        if (view.number == first) continue;
        EXPECT_FALSE(view.record) << view.place;
        EXPECT_THAT(view.problem, testing::Not(IsEmpty())) << view.place;
        EXPECT_THAT(view.place, testing::Not(IsEmpty()));
        const Found read = must(registry->read(view.number));
        ASSERT_TRUE(read);
        EXPECT_FALSE(read->record);
    }
    const Found found = must(registry->find(maker));
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->record);
    EXPECT_EQ(must(registry->create(record())).number, survey.next_number);
}

TEST_P(LeaseContract, WhatFrondDidNotMakeIsShownAsSuch) {
    const auto registry = joined(member());
    const std::int64_t first = must(registry->create(record())).number;
    if (!world->put_foreign("frond")) GTEST_SKIP() << "only Frond writes into this registry";
    const Survey survey = must(registry->survey());
    EXPECT_EQ(numbers_of(survey), run_of(first, 2));
    const RecordView view = records_of(survey).back();
    EXPECT_FALSE(view.record);
    EXPECT_THAT(view.problem, IsEmpty()) << "it is not Frond's, and so not broken";
    EXPECT_EQ(must(registry->create(record())).number, first + 2);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Registries, LeaseContract,
                         testing::Values(Kind::fake, Kind::sqlite, Kind::mariadb, Kind::zookeeper),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

}  // namespace frond::test
