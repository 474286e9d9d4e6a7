// What only the registry in memory can do.
#include "support/fake_registry.hpp"

#include "contract.hpp"

namespace frond::test {
namespace {

using std::chrono::milliseconds;

class FakeHooks : public testing::Test {
protected:
    FakeHooks() { must(registry.survey()); }

    [[nodiscard]] LeaseRecord record() const {
        LeaseRecord record;
        record.owner = worker::random_id();
        record.write = worker::random_id();
        record.space = space;
        return record;
    }

    const worker::LeaseSpace space = *worker::make_space(SnowflakeLayout(), 0, 4);
    std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
    FakeRegistry registry{store, "frond", space, "instance"};
};

TEST_F(FakeHooks, ALateCreateTakesTheNumberThatIsNextThen) {
    const LeaseRecord late = record();
    store->delay_changes(1);
    EXPECT_TRUE(failed(registry.create(late), RegistryFault::unknown));
    EXPECT_FALSE(must(registry.find(late)));
    EXPECT_EQ(must(registry.create(record())).number, 0);
    EXPECT_EQ(store->land(), 1);
    EXPECT_EQ(must(registry.find(late))->number, 1);
}

TEST_F(FakeHooks, ALateWriteIsStillACompareAndSet) {
    const auto created = must(registry.create(record()));
    const LeaseRecord late = record();
    store->delay_changes(1);
    EXPECT_TRUE(failed(registry.write(created.number, created.version, late), RegistryFault::unknown));
    const auto other = record();
    must(registry.write(created.number, created.version, other));
    EXPECT_EQ(store->land(), 0);
    EXPECT_EQ(must(registry.read(created.number))->record, other);

    store->delay_changes(1);
    EXPECT_TRUE(failed(registry.write(created.number, created.version + 1, late), RegistryFault::unknown));
    EXPECT_EQ(store->land(), 1);
    EXPECT_EQ(must(registry.read(created.number))->record, late);
}

TEST_F(FakeHooks, WhatIsDroppedNeverLands) {
    store->delay_changes(1);
    EXPECT_TRUE(failed(registry.create(record()), RegistryFault::unknown));
    store->drop();
    EXPECT_EQ(store->land(), 0);
    EXPECT_TRUE(must(registry.survey()).records.empty());
}

TEST_F(FakeHooks, HasAClockOfItsOwnOrNone) {
    store->set_clock(milliseconds(3'600'000));
    const SystemClock local;
    const auto clock = must(registry.survey()).clock;
    ASSERT_TRUE(clock);
    EXPECT_NEAR(static_cast<double>(clock->at(local.steady()) - unix_ms(local.wall())), 3'600'000, 5'000);
    store->set_clock(std::nullopt);
    EXPECT_FALSE(must(registry.survey()).clock);
}

TEST_F(FakeHooks, MayKeepLowNumbersToItself) {
    store->set_first_number(1);
    FakeRegistry other(store, "other", space, "instance");
    EXPECT_EQ(must(other.survey()).next_number, 1);
    EXPECT_EQ(must(other.create(record())).number, 1);
}

TEST_F(FakeHooks, WhoLeavesIsNoLongerPresent) {
    FakeAdmin admin(store, "frond");
    {
        FakeRegistry other(store, "frond", space, "other");
        must(other.survey());
        EXPECT_THAT(must(admin.look()).present, testing::ElementsAre("instance", "other"));
    }
    EXPECT_THAT(must(admin.look()).present, testing::ElementsAre("instance"));
}

}  // namespace
}  // namespace frond::test
