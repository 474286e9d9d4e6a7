// Digest credentials and ACLs.
#include "registry_fixture.hpp"
#include "worker/log_capture.hpp"

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;

class AuthTest : public RegistryTest {
protected:
    [[nodiscard]] RegistryOptions as(const char* auth) const {
        auto options = this->options();
        options.auth = auth;
        return options;
    }
};

TEST_F(AuthTest, NodesBelongToTheirMaker) {
    const auto registry = this->registry(as("user:secret"));
    value_of(registry->survey());
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    value_of(this->registry(as("user:secret"))->write(created.number, created.version, record));

    Node node;
    EXPECT_EQ(by_hand().get(name_node(), node), ZNOAUTH);
    std::vector<std::string> names;
    NodeStat stat;
    EXPECT_EQ(by_hand().children(parent(), names, stat), ZNOAUTH);
}

TEST_F(AuthTest, OthersAreRefusedWithARemedy) {
    value_of(registry(as("user:secret"))->survey());
    for (const auto& error : {error_of(registry()->survey()), error_of(registry(as("user:other"))->survey())}) {
        EXPECT_EQ(error.fault, RegistryFault::unavailable);
        EXPECT_TRUE(says(error, "ACL")) << error.detail;
        EXPECT_TRUE(says(error, "zookeeper.auth_file")) << error.detail;
        EXPECT_FALSE(says(error, "secret")) << error.detail;
    }
}

TEST_F(AuthTest, CredentialsHoldInANewSession) {
    const auto registry = this->registry(as("user:secret"));
    value_of(registry->survey());
    expire_sessions();
    wait_for("a new session", [&] { return !std::holds_alternative<worker::RegistryError>(registry->survey()); });
    EXPECT_EQ(value_of(registry->create(new_record(space_))).number, 1);
}

TEST_F(AuthTest, TheClientsLinesGoToTheLogAndHoldNoSecret) {
    const test::LogCapture log;
    spdlog::default_logger()->set_level(spdlog::level::debug);
    // Its threads are over when it is gone.
    {
        const auto registry = this->registry(as("user:hidden-word"));
        value_of(registry->survey());
    }
    EXPECT_GE(log.count("ZooKeeper client: INFO: "), 1) << log.text();
    EXPECT_EQ(log.count("hidden-word"), 0) << log.text();
}

TEST_F(AuthTest, WithoutCredentialsNodesAreOpen) {
    value_of(registry()->survey());
    EXPECT_FALSE(data(name_node()).empty());
}

}  // namespace
}  // namespace frond::zookeeper
