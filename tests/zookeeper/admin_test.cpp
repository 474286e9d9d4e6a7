#include "registry_fixture.hpp"

#include <gmock/gmock.h>

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;

using AdminTest = RegistryTest;

TEST_F(AdminTest, MakesNothing) {
    EXPECT_EQ(error_of(admin()->look()).fault, RegistryFault::missing);
    EXPECT_EQ(error_of(admin()->raise_floor(1)).fault, RegistryFault::missing);
    NodeStat stat;
    EXPECT_EQ(by_hand().exists(root_, stat), ZNONODE);
}

TEST_F(AdminTest, SeesWhatIsThere) {
    const auto registry = this->registry(options(), "me");
    value_of(registry->survey());
    const auto record = new_record(space_);
    value_of(registry->create(record));
    const auto seen = value_of(admin()->look());
    EXPECT_EQ(seen.name.space, space_);
    EXPECT_EQ(seen.records.size(), 2u);
    EXPECT_EQ(seen.next_number, 2);
    EXPECT_THAT(seen.present, testing::ElementsAre("me"));
    EXPECT_EQ(admin()->describe(), registry->describe());
}

TEST_F(AdminTest, RaisesTheFloorAndNeverLowersIt) {
    const auto registry = this->registry();
    value_of(registry->survey());
    EXPECT_EQ(value_of(admin()->raise_floor(5000)), 5000);
    EXPECT_EQ(value_of(admin()->raise_floor(4000)), 5000);
    EXPECT_EQ(value_of(registry->survey()).name.floor, 5000);
    EXPECT_EQ(value_of(admin()->raise_floor(6000)), 6000);
    EXPECT_EQ(value_of(admin()->look()).name.floor, 6000);
}

TEST_F(AdminTest, ManyRaiseAtOnce) {
    value_of(registry()->survey());
    std::vector<std::thread> threads;
    for (int i = 1; i <= 4; ++i) {
        threads.emplace_back([this, i] { EXPECT_GE(value_of(admin()->raise_floor(i * 100)), i * 100); });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(value_of(admin()->look()).name.floor, 400);
}

}  // namespace
}  // namespace frond::zookeeper
