// Requests and answers that get lost on the way: whether a write was done is open, and can be found out.
#include "registry_fixture.hpp"
#include "support/zookeeper_proxy.hpp"

namespace frond::zookeeper {
namespace {

using test::ZooKeeperProxy;
using worker::RegistryFault;

class LostAnswerTest : public RegistryTest {
protected:
    LostAnswerTest() : proxy_(server_.port()) {}

    void SetUp() override {
        auto options = this->options();
        options.connect = proxy_.address();
        registry_ = registry(options);
        value_of(registry_->survey());
        number_ = value_of(registry_->create(new_record(space_))).number;
    }

    ZooKeeperProxy proxy_;
    std::unique_ptr<ZooKeeperWorkerRegistry> registry_;
    const worker::LeaseRecord record_ = new_record(space_);
    std::int64_t number_ = 0;
};

TEST_F(LostAnswerTest, OfACreateLeavesANodeThatIsFound) {
    proxy_.lose(test::create_request, ZooKeeperProxy::Loss::answer);
    EXPECT_EQ(error_of(registry_->create(record_)).fault, RegistryFault::unknown);
    EXPECT_TRUE(proxy_.lost());
    const auto found = value_of(registry_->find(record_));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, number_ + 1);
    EXPECT_EQ(found->record, record_);
    EXPECT_EQ(found->version, 0);
    EXPECT_EQ(children(parent()).size(), 3u);
}

// Another instance takes the last number between the look at the counter and the create.
TEST_F(LostAnswerTest, OfACreateWhoseNumberIsTheLimitLeavesNothingToUse) {
    space_.limit = number_ + 2;
    auto options = this->options();
    options.connect = proxy_.address();
    const auto late = registry(options);
    value_of(late->survey());
    const auto faster = this->registry();
    value_of(faster->survey());
    const auto record = new_record(space_);
    std::int64_t last = 0;
    proxy_.lose(test::create_request, ZooKeeperProxy::Loss::answer, 0,
                [&] { last = value_of(faster->create(new_record(space_))).number; });
    EXPECT_EQ(error_of(late->create(record)).fault, RegistryFault::unknown);
    EXPECT_TRUE(proxy_.lost());
    EXPECT_EQ(last, space_.limit - 1);
    EXPECT_EQ(children(parent()).size(), 4u);

    const auto refused = error_of(late->find(record));
    EXPECT_EQ(refused.fault, RegistryFault::full);
    EXPECT_TRUE(says(refused, "deleted again")) << refused.detail;
    EXPECT_EQ(children(parent()).size(), 3u);
    EXPECT_FALSE(value_of(late->find(record)));
    EXPECT_TRUE(value_of(late->read(last)));
    EXPECT_EQ(error_of(late->create(record)).fault, RegistryFault::full);
}

TEST_F(LostAnswerTest, OfACreateThatNeverArrivedLeavesNothing) {
    proxy_.lose(test::create_request, ZooKeeperProxy::Loss::request);
    EXPECT_EQ(error_of(registry_->create(record_)).fault, RegistryFault::unknown);
    EXPECT_TRUE(proxy_.lost());
    EXPECT_FALSE(value_of(registry_->find(record_)));
    EXPECT_EQ(value_of(registry_->create(record_)).number, number_ + 1);
}

TEST_F(LostAnswerTest, OfAWriteIsUnknownAndDone) {
    proxy_.lose(test::set_request, ZooKeeperProxy::Loss::answer);
    EXPECT_EQ(error_of(registry_->write(number_, 0, record_)).fault, RegistryFault::unknown);
    EXPECT_TRUE(proxy_.lost());
    const auto found = value_of(registry_->read(number_));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->version, 1);
    EXPECT_EQ(found->record, record_);
    EXPECT_EQ(error_of(registry_->write(number_, 0, record_)).fault, RegistryFault::conflict);
}

TEST_F(LostAnswerTest, OfAWriteThatNeverArrivedIsUnknownAndNotDone) {
    proxy_.lose(test::set_request, ZooKeeperProxy::Loss::request);
    EXPECT_EQ(error_of(registry_->write(number_, 0, record_)).fault, RegistryFault::unknown);
    EXPECT_EQ(value_of(registry_->read(number_))->version, 0);
    EXPECT_EQ(value_of(registry_->write(number_, 0, record_)).version, 1);
}

// In a survey nothing is lost that could not be done again.
TEST_F(LostAnswerTest, OfASurveyIsUnavailableAndTheNextOneWorks) {
    for (const auto loss : {ZooKeeperProxy::Loss::request, ZooKeeperProxy::Loss::answer}) {
        proxy_.lose(test::set_request, loss);
        EXPECT_EQ(error_of(registry_->survey()).fault, RegistryFault::unavailable);
        EXPECT_TRUE(proxy_.lost());
        value_of(registry_->survey());
        EXPECT_EQ(children(live()).size(), 1u);
    }
}

TEST_F(LostAnswerTest, WhileJoiningAnEmptyServer) {
    constexpr int creations = 5;  // the name's path, the parents of records and of signs, the name node, the sign
    for (const auto loss : {ZooKeeperProxy::Loss::request, ZooKeeperProxy::Loss::answer}) {
        for (int spared = 0; spared < creations; ++spared) {
            auto options = this->options();
            options.connect = proxy_.address();
            options.name = "joining-" + worker::random_id();
            const auto joining = registry(options);
            proxy_.lose(test::create_request, loss, spared);
            EXPECT_EQ(error_of(joining->survey()).fault, RegistryFault::unavailable) << spared;
            EXPECT_TRUE(proxy_.lost());
            value_of(joining->survey());
            EXPECT_EQ(children(root_ + "/" + options.name + "/live").size(), 1u);
            EXPECT_EQ(value_of(joining->create(record_)).number, 1);
        }
    }
}

}  // namespace
}  // namespace frond::zookeeper
