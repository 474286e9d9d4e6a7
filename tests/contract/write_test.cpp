// Compare-and-set.
#include "contract.hpp"

namespace frond::test {
namespace {

TEST_P(LeaseContract, VersionsGrowWithEachWrite) {
    const auto registry = joined(member());
    LeaseRecord own = record();
    const auto created = must(registry->create(own));
    std::int64_t version = created.version;
    for (int i = 0; i < 5; ++i) {
        own = again(own);
        const auto written = must(registry->write(created.number, version, own));
        EXPECT_GT(written.version, version);
        version = written.version;
        const Found found = must(registry->read(created.number));
        ASSERT_TRUE(found);
        EXPECT_EQ(found->version, version);
        EXPECT_EQ(found->record, own);
    }
    // The same content once more is a write too.
    EXPECT_GT(must(registry->write(created.number, version, own)).version, version);
}

TEST_P(LeaseContract, OnlyTheLastVersionCanBeReplaced) {
    const auto registry = joined(member("owner"));
    const auto other = joined(member("other"));
    const auto created = must(registry->create(record()));
    const LeaseRecord theirs = record("other");
    const auto taken = must(other->write(created.number, created.version, theirs));
    for (const std::int64_t version : {created.version, taken.version + 1, std::int64_t{-1}}) {
        const auto refused = registry->write(created.number, version, record());
        EXPECT_TRUE(failed(refused, RegistryFault::conflict)) << version << " " << told(refused);
    }
    const Found found = must(registry->read(created.number));
    EXPECT_EQ(found->record, theirs);
    EXPECT_EQ(found->version, taken.version);
}

TEST_P(LeaseContract, OfManyWritersOfOneVersionOneWins) {
    const auto created = must(joined(member())->create(record()));
    std::vector<std::unique_ptr<WorkerRegistry>> registries;
    std::vector<LeaseRecord> records;
    for (int i = 0; i < 12; ++i) {
        registries.push_back(joined(member()));
        records.push_back(record());
    }
    const auto results =
        at_once(12, [&](std::size_t i) { return registries[i]->write(created.number, created.version, records[i]); });
    const Found found = must(registries.front()->read(created.number));
    int winners = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (const auto* written = std::get_if<Written>(&results[i])) {
            ++winners;
            EXPECT_EQ(found->record, records[i]);
            EXPECT_EQ(found->version, written->version);
        } else {
            EXPECT_TRUE(failed(results[i], RegistryFault::conflict)) << told(results[i]);
        }
    }
    EXPECT_EQ(winners, 1);
}

TEST_P(LeaseContract, ARecordThatIsNotThereIsMissing) {
    const auto registry = joined(member());
    const auto created = must(registry->create(record()));
    EXPECT_FALSE(must(registry->read(created.number + 1)));
    const auto refused = registry->write(created.number + 1, created.version, record());
    EXPECT_TRUE(failed(refused, RegistryFault::missing)) << told(refused);
    EXPECT_FALSE(must(registry->read(created.number + 1))) << "a write makes nothing";
}

TEST_P(LeaseContract, ARecordThatWasDeletedIsMissingAndItsNumberIsNotDrawnAgain) {
    const auto registry = joined(member());
    const LeaseRecord own = record();
    const auto created = must(registry->create(own));
    world->remove("frond", *must(registry->read(created.number)));
    const auto refused = registry->write(created.number, created.version, again(own));
    EXPECT_TRUE(failed(refused, RegistryFault::missing)) << told(refused);
    EXPECT_FALSE(must(registry->read(created.number)));
    EXPECT_FALSE(must(registry->find(own)));
    EXPECT_EQ(must(registry->create(record())).number, created.number + 1);
}

TEST_P(LeaseContract, RecordsDoNotDisturbEachOther) {
    const auto registry = joined(member());
    std::vector<Created> created;
    for (int i = 0; i < 4; ++i) created.push_back(must(registry->create(record())));
    const auto written = at_once(4, [&](std::size_t i) {
        const auto own = joined(member());
        std::int64_t version = created[i].version;
        for (int round = 0; round < 10; ++round) {
            version = must(own->write(created[i].number, version, record(std::to_string(i)))).version;
        }
        return version;
    });
    for (std::size_t i = 0; i < 4; ++i) {
        const Found found = must(registry->read(created[i].number));
        EXPECT_EQ(found->version, written[i]);
        EXPECT_EQ(found->record->identity, std::to_string(i));
    }
}

}  // namespace
}  // namespace frond::test
