// Joining a name: what is made, what is found, and what does not fit.
#include "registry_fixture.hpp"

#include <gmock/gmock.h>

#include <future>
#include <set>

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;
using JoinTest = RegistryTest;

TEST_F(JoinTest, MakesTheNameOnAnEmptyServer) {
    const auto registry = this->registry();
    const auto survey = value_of(registry->survey());
    EXPECT_EQ(survey.name.space, space_);
    EXPECT_EQ(survey.name.id.size(), 32u);
    EXPECT_EQ(survey.name.floor, INT64_MIN);
    EXPECT_TRUE(survey.records.empty());
    EXPECT_EQ(survey.first_number, 1);
    EXPECT_EQ(survey.next_number, 1);
    EXPECT_EQ(survey.name, *worker::parse_name(data(name_node())));
}

TEST_F(JoinTest, FindsTheNameThatIsThere) {
    const auto first = value_of(registry()->survey());
    space_.limit = 7;
    const auto second = value_of(registry()->survey());
    EXPECT_EQ(second.name, first.name);
    EXPECT_EQ(second.name.space.limit, 1024);
}

TEST_F(JoinTest, ShowsWhoIsPresent) {
    const auto one = registry(options(), "one");
    const auto two = registry(options(), "two");
    value_of(one->survey());
    for (int i = 0; i < 2; ++i) {
        value_of(two->survey());
        EXPECT_THAT(who_is_present(), testing::ElementsAre("one", "two"));
    }
}

// Surveys of many instances would read many signs each.
TEST_F(JoinTest, DoesNotAskWhoIsPresent) {
    value_of(registry(options(), "one")->survey());
    const auto two = registry(options(), "two");
    EXPECT_THAT(value_of(two->survey()).present, testing::IsEmpty());
}

TEST_F(JoinTest, PresenceEndsWithTheRegistry) {
    value_of(registry(options(), "gone")->survey());
    const auto here = registry(options(), "here");
    value_of(here->survey());
    EXPECT_THAT(who_is_present(), testing::ElementsAre("here"));
}

TEST_F(JoinTest, ReadsTheServersClock) {
    const auto registry = this->registry();
    for (int i = 0; i < 2; ++i) {
        const auto before = BootClock::now();
        const auto survey = value_of(registry->survey());
        ASSERT_TRUE(survey.clock);
        EXPECT_GE(survey.clock->steady, before);
        EXPECT_LE(survey.clock->steady, BootClock::now());
        const auto wall = unix_ms(SystemClock().wall());
        EXPECT_NEAR(static_cast<double>(survey.clock->at(BootClock::now())), static_cast<double>(wall), 5000.0);
    }
}

TEST_F(JoinTest, TwelveAtOnceGetTwelveNumbers) {
    std::vector<std::future<std::int64_t>> numbers;
    for (int i = 0; i < 12; ++i) {
        numbers.push_back(std::async(std::launch::async, [this] {
            const auto registry = this->registry();
            value_of(registry->survey());
            return value_of(registry->create(new_record(space_))).number;
        }));
    }
    std::set<std::int64_t> distinct;
    for (auto& number : numbers) distinct.insert(number.get());
    EXPECT_EQ(distinct.size(), 12u);
    EXPECT_EQ(*distinct.begin(), 1);
}

TEST_F(JoinTest, TakesUpWhereAnotherCrashedBetweenParentAndName) {
    make_parents();
    EXPECT_EQ(value_of(registry()->survey()).name.space, space_);
}

TEST_F(JoinTest, StandsBesideLeaf) {
    make_parents();
    const std::string content = R"({"ip":"10.1.2.3","port":"8080","timestamp":1567733700834})";
    const std::string first = make(parent() + "/10.1.2.3:8080-", content, NodeKind::sequential);
    make(parent() + "/10.1.2.4:8080-", content, NodeKind::sequential);
    const auto registry = this->registry();
    auto survey = value_of(registry->survey());
    ASSERT_EQ(survey.records.size(), 2u);
    for (const auto& record : survey.records) {
        EXPECT_FALSE(record.record);
        EXPECT_EQ(record.problem, "");
    }
    EXPECT_EQ(survey.next_number, 2);

    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 2);
    EXPECT_EQ(make(parent() + "/10.1.2.5:8080-", content, NodeKind::sequential),
              parent() + "/10.1.2.5:8080-0000000003");
    EXPECT_EQ(data(first), content);
    // As Leaf takes names apart.
    for (const std::string& child : children(parent())) {
        const std::size_t dash = child.find('-');
        ASSERT_NE(dash, std::string::npos) << child;
        const std::string second = child.substr(dash + 1, child.find('-', dash + 1) - dash - 1);
        EXPECT_EQ(second.size(), 10u) << child;
        EXPECT_NO_THROW(static_cast<void>(std::stoi(second))) << child;
    }
}

TEST_F(JoinTest, NeverWritesANodeOfLeaf) {
    make_parents();
    make(parent() + "/10.1.2.3:8080-", "{}", NodeKind::sequential);
    const std::string second = make(parent() + "/10.1.2.4:8080-", "{}", NodeKind::sequential);
    const auto registry = this->registry();
    value_of(registry->survey());
    EXPECT_EQ(error_of(registry->write(1, 0, new_record(space_))).fault, RegistryFault::contradiction);
    EXPECT_EQ(data(second), "{}");
    const auto found = value_of(registry->read(1));
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->record);
}

TEST_F(JoinTest, UnknownNamesAreSomebodyElses) {
    make_parents();
    make(parent() + "/notes");
    const auto survey = value_of(registry()->survey());
    ASSERT_EQ(survey.records.size(), 1u);
    EXPECT_FALSE(survey.records[0].record);
    EXPECT_EQ(survey.records[0].number, -1);
}

TEST_F(JoinTest, AParentThatWasMadeAgainContradicts) {
    const auto registry = this->registry();
    value_of(registry->survey());
    value_of(registry->create(new_record(space_)));
    remove(parent());
    make(parent());
    for (const auto& error : {error_of(registry->survey()), error_of(this->registry()->survey()),
                              error_of(registry->create(new_record(space_)))}) {
        EXPECT_EQ(error.fault, RegistryFault::contradiction);
        EXPECT_TRUE(says(error, "deleted and made again")) << error.detail;
        EXPECT_TRUE(says(error, "Stop all instances")) << error.detail;
    }
    EXPECT_TRUE(children(parent()).empty());
}

TEST_F(JoinTest, AParentThatIsGoneIsNotMadeAgain) {
    const auto registry = this->registry();
    value_of(registry->survey());
    remove(parent());
    for (const auto& error : {error_of(registry->survey()), error_of(registry->create(new_record(space_)))}) {
        EXPECT_EQ(error.fault, RegistryFault::contradiction);
        EXPECT_TRUE(says(error, "was deleted")) << error.detail;
    }
    NodeStat stat;
    EXPECT_EQ(by_hand().exists(parent(), stat), ZNONODE);
}

// What the message of a contradiction tells operators to do.
TEST_F(JoinTest, ANameWithAllBelowItDeletedBeginsAnew) {
    const auto registry = this->registry();
    const auto before = value_of(registry->survey());
    value_of(registry->create(new_record(space_)));
    remove(root_ + "/orders");
    const auto after = value_of(registry->survey());
    EXPECT_NE(after.name.id, before.name.id);
    EXPECT_TRUE(after.records.empty());
    EXPECT_FALSE(value_of(registry->read(1)));
    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 1);
}

TEST_F(JoinTest, ANameNodeOfAnotherKindContradicts) {
    make_parents();
    make(name_node(), "hello");
    const auto error = error_of(registry()->survey());
    EXPECT_EQ(error.fault, RegistryFault::contradiction);
    EXPECT_TRUE(says(error, name_node())) << error.detail;
}

TEST_F(JoinTest, CopiedNodesContradict) {
    const auto registry = this->registry();
    value_of(registry->survey());
    make(parent() + "/frond:" + std::string(32, 'a') + "-0000000009");
    const auto error = error_of(registry->survey());
    EXPECT_EQ(error.fault, RegistryFault::contradiction);
    EXPECT_TRUE(says(error, "copied")) << error.detail;
}

TEST_F(JoinTest, ANumberThatIsThereTwiceContradicts) {
    const auto registry = this->registry();
    value_of(registry->survey());
    value_of(registry->create(new_record(space_)));
    make(parent() + "/10.0.0.1:80-0000000001");
    EXPECT_EQ(error_of(registry->survey()).fault, RegistryFault::contradiction);
}

TEST_F(JoinTest, UnreadableRecordsHaveAProblem) {
    make_parents();
    make(parent() + "/frond:" + std::string(32, 'b') + "-", "{}", NodeKind::sequential);
    const auto survey = value_of(registry()->survey());
    ASSERT_EQ(survey.records.size(), 1u);
    EXPECT_FALSE(survey.records[0].record);
    EXPECT_NE(survey.records[0].problem, "");
}

TEST_F(JoinTest, NamesWithAnyLetters) {
    for (const char* name : {"order-1-prod", "com.example.order", "订单-größe"}) {
        auto options = this->options();
        options.name = name;
        const auto registry = this->registry(options);
        value_of(registry->survey());
        EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 1) << name;
        EXPECT_EQ(value_of(registry->survey()).records.size(), 2u) << name;
    }
}

TEST_F(JoinTest, APathBehindTheAddresses) {
    auto options = this->options();
    options.root = "/";
    options.connect += root_;
    const auto registry = this->registry(options);
    const auto error = error_of(registry->survey());
    EXPECT_TRUE(says(error, "zookeeper.connect")) << error.detail;
    make(root_);
    value_of(registry->survey());
    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 1);
    EXPECT_EQ(children(parent()).size(), 2u);
}

TEST_F(JoinTest, WrongSettingsNameTheirKeys) {
    auto options = this->options();
    options.name = "a/b";
    const auto made = ZooKeeperWorkerRegistry::make(options, {space_, "x", &worker::random_id});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errc::invalid_configuration);
    EXPECT_TRUE(made.error().detail.starts_with("snowflake.name")) << made.error().detail;
}

}  // namespace
}  // namespace frond::zookeeper
