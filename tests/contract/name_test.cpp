// The name: made once, and what all who share it find there.
#include "contract.hpp"

namespace frond::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_P(LeaseContract, TheFirstWhoComesMakesTheName) {
    const auto registry = world->join({"frond", space(7, 100), "first"});
    const Survey survey = must(registry->survey());
    EXPECT_THAT(survey.name.id, testing::Not(IsEmpty()));
    EXPECT_EQ(survey.name.space, space(7, 100));
    EXPECT_EQ(survey.name.floor, INT64_MIN);
    EXPECT_THAT(numbers_of(survey), IsEmpty());
    EXPECT_EQ(survey.next_number, survey.first_number);
}

TEST_P(LeaseContract, TheNameIsMadeOnce) {
    const Survey first = must(world->join(member("first"))->survey());
    const auto registry = world->join(member("second"));
    EXPECT_EQ(must(registry->survey()).name, first.name);
    EXPECT_EQ(must(registry->survey()).name, first.name);
}

TEST_P(LeaseContract, OfThoseWhoComeAtOnceOneMakesTheName) {
    const auto ids = at_once(12, [&](std::size_t) { return must(world->join(member())->survey()).name.id; });
    EXPECT_THAT(ids, testing::Each(ids.front()));
}

TEST_P(LeaseContract, AnotherSpaceIsShownWhatTheNameWasMadeWith) {
    const Survey first = must(world->join({"frond", space(0, 10), "first"})->survey());
    const Survey second = must(world->join({"frond", space(10, 10), "second"})->survey());
    EXPECT_EQ(second.name, first.name);
    EXPECT_EQ(second.name.space, space(0, 10));
}

TEST_P(LeaseContract, NamesAreKeptApart) {
    std::vector<std::string> ids;
    for (const char* name : {"frond", "FROND", "frönd", "a-b.c_d", "名前", "it's \"x\""}) {
        const auto registry = joined({name, space(), "instance"});
        const LeaseRecord own = record(name);
        const auto created = must(registry->create(own));
        const Survey survey = must(registry->survey());
        EXPECT_THAT(numbers_of(survey), ElementsAre(survey.first_number)) << name;
        EXPECT_EQ(created.number, survey.first_number) << name;
        EXPECT_THAT(ids, testing::Not(testing::Contains(survey.name.id))) << name;
        ids.push_back(survey.name.id);
    }
}

TEST_P(LeaseContract, DescribesWhereItIs) {
    const std::string text = world->join(member())->describe();
    EXPECT_THAT(text, HasSubstr("frond"));
    EXPECT_EQ(world->join(member("another"))->describe(), text);
    EXPECT_NE(world->join({"other", space(), ""})->describe(), text);
    EXPECT_EQ(world->admin("frond")->describe(), text);
    EXPECT_THAT(text, testing::Not(HasSubstr("p;w")));
}

TEST_P(LeaseContract, ShowsWhoIsPresentWhereItKnows) {
    const auto first = joined(member("first"));
    const auto second = joined(member("zweite-äöü"));
    EXPECT_THAT(must(second->survey()).present, IsEmpty()) << "it is for operators, and costs a call for each";
    const Survey survey = must(world->admin("frond")->look());
    if (world->knows_present()) {
        EXPECT_THAT(survey.present, testing::UnorderedElementsAre("first", "zweite-äöü"));
    } else {
        EXPECT_THAT(survey.present, IsEmpty());
    }
}

TEST_P(LeaseContract, ItsClockIsTheTimeOfDay) {
    const auto registry = world->join(member());
    const SystemClock local;
    const auto check = [&](const std::optional<worker::RegistryClock>& clock) {
        ASSERT_EQ(clock.has_value(), world->has_clock());
        if (!clock) return;
        EXPECT_LE(clock->steady, local.steady());
        EXPECT_NEAR(static_cast<double>(clock->at(local.steady())), static_cast<double>(unix_ms(local.wall())), 5'000);
    };
    const std::int64_t before = unix_ms(local.wall());
    check(must(registry->survey()).clock);
    const auto created = must(registry->create(record()));
    check(created.clock);
    check(must(registry->write(created.number, created.version, record())).clock);
    const Found found = must(registry->read(created.number));
    ASSERT_TRUE(found);
    EXPECT_GE(found->modified_ms, before - 5'000);
    EXPECT_LE(found->modified_ms, unix_ms(local.wall()) + 5'000);
}

TEST_P(LeaseContract, AnOperatorFindsNoNameThatNobodyMade) {
    const auto admin = world->admin("frond");
    EXPECT_TRUE(failed(admin->look(), RegistryFault::missing)) << told(admin->look());
    EXPECT_TRUE(failed(admin->raise_floor(5), RegistryFault::missing));
    EXPECT_TRUE(failed(admin->look(), RegistryFault::missing)) << "looking makes nothing";
}

TEST_P(LeaseContract, AnOperatorSeesWhatInstancesSee) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    const Survey seen = must(registry->survey());
    const Survey looked = must(world->admin("frond")->look());
    EXPECT_EQ(looked.name, seen.name);
    EXPECT_EQ(looked.next_number, seen.next_number);
    EXPECT_EQ(numbers_of(looked), numbers_of(seen));
    const auto records = records_of(looked);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].number, created.number);
    EXPECT_EQ(records[0].version, created.version);
    EXPECT_EQ(records[0].record, own);
    EXPECT_EQ(looked.present.size(), world->knows_present() ? 1u : 0u) << "an operator is not present";
}

TEST_P(LeaseContract, TheFloorOnlyRises) {
    const auto registry = joined(member());
    const Survey before = must(registry->survey());
    const auto admin = world->admin("frond");
    EXPECT_EQ(must(admin->raise_floor(1'700'000'000'000)), 1'700'000'000'000);
    EXPECT_EQ(must(admin->raise_floor(1'600'000'000'000)), 1'700'000'000'000);
    EXPECT_EQ(must(registry->survey()).name.floor, 1'700'000'000'000);
    EXPECT_EQ(must(world->admin("frond")->raise_floor(1'800'000'000'000)), 1'800'000'000'000);
    worker::NameRecord after = must(registry->survey()).name;
    EXPECT_EQ(after.floor, 1'800'000'000'000);
    after.floor = INT64_MIN;
    EXPECT_EQ(after, before.name) << "nothing else changed";
    const auto created = must(registry->create(record()));
    EXPECT_EQ(created.number, before.first_number);
    EXPECT_EQ(must(registry->survey()).name.floor, 1'800'000'000'000);
}

TEST_P(LeaseContract, FloorsRaisedAtOnceEndAtTheHighest) {
    const auto registry = joined(member());
    const auto floors = at_once(8, [&](std::size_t i) {
        return must(when_reachable([&] { return world->admin("frond")->raise_floor(static_cast<std::int64_t>(i)); }));
    });
    for (std::size_t i = 0; i < floors.size(); ++i) EXPECT_GE(floors[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(must(registry->survey()).name.floor, 7);
}

}  // namespace
}  // namespace frond::test
