// Registries that are away, do not answer, or forget.
#include "contract.hpp"

namespace frond::test {
namespace {

class LeaseLoss : public LeaseContract {
protected:
    void SetUp() override {
        if (const auto why = world->why_no_loss()) GTEST_SKIP() << *why;
    }
};

INSTANTIATE_TEST_SUITE_P(Registries, LeaseLoss,
                         testing::Values(Kind::fake, Kind::sqlite, Kind::mariadb, Kind::zookeeper),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(LeaseLoss, ACreateWithoutAnswerIsFound) {
    const auto registry = joined(member());
    // ZooKeeper leaves the very first number of a parent alone, found or not.
    const std::int64_t before = must(registry->create(record())).number;
    const LeaseRecord own = record();
    world->lose_replies(own.write);
    const auto created = registry->create(own);
    EXPECT_TRUE(failed(created, RegistryFault::unknown)) << told(created);
    world->lose_nothing();
    const Found found = must(when_reachable([&] { return registry->find(own); }));
    ASSERT_TRUE(found) << "it was done";
    EXPECT_EQ(found->record, own);
    EXPECT_EQ(must(registry->create(record())).number, found->number + 1);
    EXPECT_EQ(numbers_of(must(registry->survey())).back(), found->number + 1);
    EXPECT_EQ(found->number, before + 1);
    // It can be used like any other.
    EXPECT_GT(must(registry->write(found->number, found->version, again(own))).version, found->version);
}

// Whoever used that number would issue the IDs of another site, or have none to issue.
TEST_P(LeaseLoss, ACreateWithoutAnswerThatCameTooLateIsNotKept) {
    constexpr std::int64_t limit = 6;
    const auto registry = joined(member("instance", limit));
    must(registry->create(record()));
    const LeaseRecord own = record();
    if (!world->lose_replies_above("frond", limit, own.write)) {
        GTEST_SKIP() << "number and limit are looked at in one transaction";
    }
    const auto created = registry->create(own);
    EXPECT_TRUE(failed(created, RegistryFault::unknown)) << told(created);
    world->lose_nothing();
    EXPECT_EQ(must(when_reachable([&] { return registry->read(limit); }))->record, own);
    const auto found = registry->find(own);
    EXPECT_TRUE(failed(found, RegistryFault::full)) << told(found);
    EXPECT_FALSE(must(registry->read(limit))) << "it was deleted again";
    EXPECT_FALSE(must(registry->find(own)));
    EXPECT_TRUE(failed(registry->create(record()), RegistryFault::full));
}

TEST_P(LeaseLoss, WhatCameTooLateAndIsSomebodyElsesStays) {
    constexpr std::int64_t limit = 6;
    const auto registry = joined(member("instance", limit));
    must(registry->create(record()));
    const LeaseRecord own = record();
    if (!world->lose_replies_above("frond", limit, own.write)) {
        GTEST_SKIP() << "number and limit are looked at in one transaction";
    }
    EXPECT_TRUE(failed(registry->create(own), RegistryFault::unknown));
    world->lose_nothing();
    const auto made = must(when_reachable([&] { return registry->read(limit); }));
    const LeaseRecord theirs = record("other");
    must(registry->write(limit, made->version, theirs));
    const auto found = registry->find(own);
    EXPECT_TRUE(failed(found, RegistryFault::full)) << told(found);
    EXPECT_EQ(must(registry->read(limit))->record, theirs);
}

TEST_P(LeaseLoss, ACreateThatDidNotArriveIsNotFound) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    world->lose_requests(own.write);
    const auto created = registry->create(own);
    EXPECT_TRUE(failed(created, RegistryFault::unknown)) << told(created);
    world->lose_nothing();
    EXPECT_FALSE(must(when_reachable([&] { return registry->find(own); })));
    const std::int64_t next = must(registry->survey()).next_number;
    EXPECT_EQ(must(registry->create(own)).number, next);
}

TEST_P(LeaseLoss, AWriteWithoutAnswerIsSeen) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    const LeaseRecord next = again(own);
    world->lose_replies(next.write);
    const auto written = registry->write(created.number, created.version, next);
    EXPECT_TRUE(failed(written, RegistryFault::unknown)) << told(written);
    world->lose_nothing();
    const Found found = must(when_reachable([&] { return registry->read(created.number); }));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record, next) << "it was done";
    EXPECT_GT(found->version, created.version);
    EXPECT_TRUE(failed(registry->write(created.number, created.version, again(next)), RegistryFault::conflict));
    EXPECT_GT(must(registry->write(created.number, found->version, again(next))).version, found->version);
}

TEST_P(LeaseLoss, AWriteThatDidNotArriveChangesNothing) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    const LeaseRecord next = again(own);
    world->lose_requests(next.write);
    const auto written = registry->write(created.number, created.version, next);
    EXPECT_TRUE(failed(written, RegistryFault::unknown)) << told(written);
    world->lose_nothing();
    const Found found = must(when_reachable([&] { return registry->read(created.number); }));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record, own);
    EXPECT_EQ(found->version, created.version);
    EXPECT_GT(must(registry->write(created.number, created.version, next)).version, created.version);
}

// Whoever takes the record over while its owner waits for an answer makes the owner's next write fail.
TEST_P(LeaseLoss, ATakeOverAfterAWriteWithoutAnswerIsNoticed) {
    const auto registry = joined(member("owner"));
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    const LeaseRecord next = again(own);
    world->lose_replies(next.write);
    ASSERT_TRUE(failed(registry->write(created.number, created.version, next), RegistryFault::unknown));
    world->lose_nothing();
    const auto other = joined(member("other"));
    const LeaseRecord theirs = record("other");
    must(other->write(created.number, must(other->read(created.number))->version, theirs));
    EXPECT_EQ(must(when_reachable([&] { return registry->read(created.number); }))->record, theirs);
    EXPECT_TRUE(failed(registry->write(created.number, created.version, again(next)), RegistryFault::conflict));
}

TEST_P(LeaseContract, ARegistryThatIsAwayIsUnavailableUntilItIsBack) {
    const auto owner = joined(member());
    const LeaseRecord own = record();
    const auto created = must(owner->create(own));
    world->away();
    const auto registry = world->join(member());
    EXPECT_TRUE(failed(registry->write(created.number, created.version, again(own)), RegistryFault::unavailable));
    EXPECT_TRUE(failed(registry->create(record()), RegistryFault::unavailable));
    EXPECT_TRUE(failed(world->admin("frond")->raise_floor(1), RegistryFault::unavailable));
    if (!world->reads_when_away()) {
        EXPECT_TRUE(failed(registry->survey(), RegistryFault::unavailable));
        EXPECT_TRUE(failed(registry->read(created.number), RegistryFault::unavailable));
        EXPECT_TRUE(failed(registry->find(own), RegistryFault::unavailable));
        EXPECT_TRUE(failed(world->admin("frond")->look(), RegistryFault::unavailable));
    }
    world->back();
    EXPECT_EQ(must(when_reachable([&] { return registry->read(created.number); }))->record, own);
    must(registry->survey());
    EXPECT_GT(must(registry->write(created.number, created.version, again(own))).version, created.version);
    EXPECT_EQ(must(registry->create(record())).number, created.number + 1);
}

// Nothing that is under way when the connection breaks is taken for refused; what comes later is.
TEST_P(LeaseContract, AHandleOutlivesATimeWithoutItsRegistry) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    world->away();
    const auto refused = registry->write(created.number, created.version + 1, again(own));
    EXPECT_TRUE(failed(refused, RegistryFault::unavailable) || failed(refused, RegistryFault::unknown))
        << told(refused);
    world->back();
    EXPECT_EQ(must(when_reachable([&] { return registry->read(created.number); }))->record, own);
    EXPECT_GT(must(registry->write(created.number, created.version, again(own))).version, created.version);
}

TEST_P(LeaseContract, WritesThatWereLostAreNoticed) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    world->save();
    const auto written =
        must(when_reachable([&] { return registry->write(created.number, created.version, again(own)); }));
    world->restore();
    const auto read = when_reachable([&] { return registry->read(created.number); });
    EXPECT_TRUE(failed(read, RegistryFault::went_backwards)) << told(read);
    const auto survey = when_reachable([&] { return registry->survey(); });
    EXPECT_TRUE(failed(survey, RegistryFault::went_backwards)) << told(survey);
    const auto next = registry->write(created.number, written.version, again(own));
    EXPECT_FALSE(std::holds_alternative<Written>(next));
    // Those who saw nothing of it cannot know.
    EXPECT_EQ(must(world->join(member())->read(created.number))->record, own);
}

TEST_P(LeaseContract, NumbersThatWereLostAreNoticed) {
    const auto registry = joined(member());
    must(registry->create(record()));
    world->save();
    must(when_reachable([&] { return registry->create(record()); }));
    world->restore();
    const auto survey = when_reachable([&] { return registry->survey(); });
    EXPECT_TRUE(failed(survey, RegistryFault::went_backwards)) << told(survey);
    const auto created = registry->create(record());
    EXPECT_FALSE(std::holds_alternative<Created>(created)) << "the number was given out before";
}

TEST_P(LeaseContract, ACancelledHandleRefusesAllCalls) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    registry->cancel();
    EXPECT_TRUE(failed(registry->survey(), RegistryFault::unavailable));
    EXPECT_TRUE(failed(registry->create(record()), RegistryFault::unavailable));
    EXPECT_TRUE(failed(registry->write(created.number, created.version, again(own)), RegistryFault::unavailable));
    EXPECT_TRUE(failed(registry->read(created.number), RegistryFault::unavailable));
    EXPECT_TRUE(failed(registry->find(own), RegistryFault::unavailable));
    EXPECT_EQ(must(joined(member("other"))->read(created.number))->record, own) << "nothing was changed";
}

TEST_P(LeaseContract, CancelEndsACall) {
    const auto owner = joined(member());
    const auto created = must(owner->create(record()));
    world->away();
    const auto registry = world->join(member());
    auto call =
        std::async(std::launch::async, [&] { return registry->write(created.number, created.version, record()); });
    registry->cancel();
    ASSERT_EQ(call.wait_for(std::chrono::seconds(60)), std::future_status::ready);
    EXPECT_TRUE(failed(call.get(), RegistryFault::unavailable));
    world->back();
    EXPECT_EQ(must(joined(member("other"))->read(created.number))->version, created.version);
}

}  // namespace
}  // namespace frond::test
