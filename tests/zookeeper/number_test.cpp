// Creating records: numbers, their limit, and finding what was created.
#include "registry_fixture.hpp"

#include <atomic>

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;
using NumberTest = RegistryTest;

TEST_F(NumberTest, ZeroIsLeftAlone) {
    const auto registry = this->registry();
    value_of(registry->survey());
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    EXPECT_EQ(created.number, 1);
    EXPECT_EQ(created.version, 0);
    ASSERT_TRUE(created.clock);
    EXPECT_EQ(children(parent()).size(), 2u);

    const auto found = value_of(registry->find(record));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, 1);
    EXPECT_EQ(found->record, record);
    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 2);
}

TEST_F(NumberTest, NeedsASurveyFirst) {
    EXPECT_EQ(error_of(registry()->create(new_record(space_))).fault, RegistryFault::unavailable);
}

TEST_F(NumberTest, NoMoreThanThereAre) {
    space_.limit = 3;
    const auto registry = this->registry();
    value_of(registry->survey());
    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 1);
    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 2);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(error_of(registry->create(new_record(space_))).fault, RegistryFault::full);
    }
    EXPECT_EQ(children(parent()).size(), 3u);
    EXPECT_EQ(value_of(registry->survey()).next_number, 3);
}

TEST_F(NumberTest, DeletedNodesDoNotGiveTheirNumbersBack) {
    space_.limit = 3;
    const auto registry = this->registry();
    value_of(registry->survey());
    value_of(registry->create(new_record(space_)));
    value_of(registry->create(new_record(space_)));
    for (const std::string& child : children(parent())) remove(parent() + "/" + child);
    EXPECT_EQ(value_of(registry->survey()).next_number, 3);
    EXPECT_EQ(error_of(registry->create(new_record(space_))).fault, RegistryFault::full);
}

TEST_F(NumberTest, ASpaceOfOneHasNone) {
    space_.limit = 1;
    const auto registry = this->registry();
    value_of(registry->survey());
    EXPECT_EQ(error_of(registry->create(new_record(space_))).fault, RegistryFault::full);
    EXPECT_TRUE(children(parent()).empty());
}

// Several look at the counter, see one number left, and create: all but one get a number that is too high. Repeated
// until that has happened.
TEST_F(NumberTest, TooHighNumbersAreNotLeftBehind) {
    constexpr int instances = 8;
    space_.limit = 3;
    std::vector<std::unique_ptr<ZooKeeperWorkerRegistry>> registries;
    std::int64_t creations = 0;
    wait_for("a number that is too high", [&] {
        auto options = this->options();
        options.name = "race-" + worker::random_id();
        registries.clear();
        for (int i = 0; i < instances; ++i) value_of(registries.emplace_back(registry(options))->survey());
        std::atomic<int> full{0};
        std::vector<std::thread> threads;
        for (auto& registry : registries) {
            threads.emplace_back([&] {
                const auto result = registry->create(new_record(space_));
                const auto* error = std::get_if<worker::RegistryError>(&result);
                if (error != nullptr && error->fault == RegistryFault::full) ++full;
            });
        }
        for (auto& thread : threads) thread.join();
        EXPECT_GE(full, instances - 2);
        const std::string parent = root_ + "/" + options.name + "/forever";
        std::vector<std::string> names;
        NodeStat stat;
        EXPECT_EQ(by_hand().children(parent, names, stat), ZOK);
        for (const std::string& name : names) EXPECT_LT(*parse_node_name(name).number, space_.limit);
        creations = stat.creations;
        return creations > space_.limit;
    });
    EXPECT_GT(creations, space_.limit);
}

TEST_F(NumberTest, FindsOnlyWhatWasCreatedForThisOwner) {
    const auto registry = this->registry();
    value_of(registry->survey());
    value_of(registry->create(new_record(space_)));
    EXPECT_FALSE(value_of(registry->find(new_record(space_))));
}

TEST_F(NumberTest, FindsANodeWhoseContentIsSomebodyElses) {
    const auto registry = this->registry();
    value_of(registry->survey());
    const auto mine = new_record(space_);
    const auto created = value_of(registry->create(mine));
    const auto theirs = new_record(space_, "other");
    value_of(registry->write(created.number, created.version, theirs));
    const auto found = value_of(registry->find(mine));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record, theirs);
}

TEST_F(NumberTest, ReadsByNumber) {
    const auto registry = this->registry();
    value_of(registry->survey());
    const auto record = new_record(space_);
    const auto number = value_of(registry->create(record)).number;
    const auto other = this->registry();
    const auto found = value_of(other->read(number));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record, record);
    EXPECT_EQ(found->version, 0);
    EXPECT_GT(found->modified_ms, 0);
    EXPECT_FALSE(value_of(other->read(number + 1)));
}

}  // namespace
}  // namespace frond::zookeeper
