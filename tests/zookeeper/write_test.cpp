// Compare-and-set on records.
#include "registry_fixture.hpp"

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;

class WriteTest : public RegistryTest {
protected:
    void SetUp() override {
        value_of(registry_->survey());
        number_ = value_of(registry_->create(record_)).number;
    }

    std::unique_ptr<ZooKeeperWorkerRegistry> registry_ = registry();
    worker::LeaseRecord record_ = new_record(space_);
    std::int64_t number_ = 0;
};

TEST_F(WriteTest, EachGivesTheNextVersion) {
    record_.fence += 1000;
    const auto first = value_of(registry_->write(number_, 0, record_));
    EXPECT_EQ(first.version, 1);
    ASSERT_TRUE(first.clock);
    EXPECT_EQ(value_of(registry_->write(number_, 1, record_)).version, 2);
    EXPECT_EQ(value_of(registry_->read(number_))->record, record_);
}

TEST_F(WriteTest, AnotherVersionIsAConflict) {
    value_of(registry_->write(number_, 0, record_));
    auto other = record_;
    other.identity = "other";
    for (const std::int64_t version : {std::int64_t{0}, std::int64_t{2}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
        EXPECT_EQ(error_of(registry_->write(number_, version, other)).fault, RegistryFault::conflict) << version;
    }
    EXPECT_EQ(value_of(registry_->read(number_))->record, record_);
}

TEST_F(WriteTest, ADeletedRecordIsMissing) {
    for (const std::string& child : children(parent())) remove(parent() + "/" + child);
    EXPECT_EQ(error_of(registry_->write(number_, 0, record_)).fault, RegistryFault::missing);
    EXPECT_EQ(error_of(registry_->write(77, 0, record_)).fault, RegistryFault::missing);
    EXPECT_FALSE(value_of(registry_->read(number_)));
}

TEST_F(WriteTest, WorksWithoutASurvey) { EXPECT_EQ(value_of(registry()->write(number_, 0, record_)).version, 1); }

TEST_F(WriteTest, LongRecordsComeBackWhole) {
    record_.identity = std::string(100'000, 'i');
    value_of(registry_->write(number_, 0, record_));
    EXPECT_EQ(value_of(registry_->read(number_))->record, record_);
}

}  // namespace
}  // namespace frond::zookeeper
