#include "server/registries.hpp"

#include "server/load_helper.hpp"
#include "server/stores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>

namespace frond::server {
namespace {

using testing::HasSubstr;
using testing::Not;

// Sets environment variables for its life; an empty value takes one away.
class Environment {
public:
    explicit Environment(const std::map<std::string, std::string>& values) {
        for (const auto& [name, value] : values) {
            const char* before = getenv(name.c_str());
            before_[name] = before == nullptr ? "" : before;
            set(name, value);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) set(name, value);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    static void set(const std::string& name, const std::string& value) {
        value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
    std::map<std::string, std::string> before_;
};

TEST(LookAround, KnowsAPodInsideKubernetesAlone) {
    {
        const Environment pod({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"POD_NAME", "ids-3"}, {"HOSTNAME", "node-1"}});
        EXPECT_EQ(look_around().pod_name, "ids-3");
    }
    {
        const Environment pod({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"POD_NAME", ""}, {"HOSTNAME", "ids-4"}});
        EXPECT_EQ(look_around().pod_name, "ids-4");
    }
    {
        const Environment pod({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"POD_NAME", ""}, {"HOSTNAME", ""}});
        EXPECT_EQ(look_around().pod_name, look_around().host_name);
    }
    const Environment machine({{"KUBERNETES_SERVICE_HOST", ""}, {"POD_NAME", "ids-3"}, {"HOSTNAME", "box"}});
    EXPECT_EQ(look_around().pod_name, "");
    EXPECT_NE(look_around().host_name, "");
}

TEST(LookAround, FindsAnAddressThatIsNotLoopback) {
    const std::string ip = look_around().ip;
    if (ip.empty()) GTEST_SKIP() << "this machine has loopback alone";
    EXPECT_THAT(ip, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+"));
    EXPECT_THAT(ip, Not(testing::StartsWith("127.")));
}

TEST(InstanceOf, PrefersWhatIsConfiguredThenThePodThenHostAndPort) {
    Config config;
    config.server.listen = {"[::]:9000", "127.0.0.1:9001"};
    Instance instance = instance_of(config, {"box", "", "10.0.0.7"});
    EXPECT_EQ(instance.identity, "box:9000");
    EXPECT_EQ(instance.ip, "10.0.0.7");
    EXPECT_EQ(instance.port, "9000");
    instance = instance_of(config, {"box", "ids-3", ""});
    EXPECT_EQ(instance.identity, "ids-3");
    EXPECT_EQ(instance.ip, "");
    EXPECT_EQ(instance.port, "9000");
    config.snowflake.identity = "me";
    EXPECT_EQ(instance_of(config, {"box", "ids-3", ""}).identity, "me");
}

// Leaf's port, which becomes part of the identity.
TEST(InstanceOf, TakesThePortOfAnIdentityThatHasOne) {
    Config config;
    config.snowflake.identity = "box:8081";
    EXPECT_EQ(instance_of(config, {"other", "", ""}).port, "8081");
}

TEST(LeaseOptionsOf, CarryEverySetting) {
    Config config;
    config.snowflake.name = "orders";
    config.snowflake.worker_id_offset = 16;
    config.snowflake.worker_id_limit = 8;
    config.snowflake.max_ahead = milliseconds(1);
    config.snowflake.max_clock_skew = milliseconds(2);
    config.snowflake.heartbeat = milliseconds(3);
    config.snowflake.fence_window = milliseconds(4);
    const auto options = lease_options(config, {"me", "10.0.0.7", "9000"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->name, "orders");
    EXPECT_EQ(options->space, (worker::LeaseSpace{SnowflakeLayout(), 16, 8}));
    EXPECT_EQ(options->identity, "me");
    EXPECT_EQ(options->ip, "10.0.0.7");
    EXPECT_EQ(options->port, "9000");
    EXPECT_EQ(options->max_ahead, milliseconds(1));
    EXPECT_EQ(options->max_clock_skew, milliseconds(2));
    EXPECT_EQ(options->heartbeat, milliseconds(3));
    EXPECT_EQ(options->fence_window, milliseconds(4));
    EXPECT_NE(options->new_id(), options->new_id());
}

TEST(LeaseOptionsOf, RefuseAShareThatDoesNotFit) {
    Config config;
    config.snowflake.worker_id_offset = 1024;
    const auto options = lease_options(config, {});
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, errc::invalid_configuration);
    EXPECT_THAT(options.error().detail, HasSubstr("snowflake.worker_id_offset"));
}

TEST(MakeWorkerRegistry, WorksOnTheDatabaseThatIsNamed) {
    const TemporaryFolder folder;
    Config config;
    config.databases.resize(2);
    config.databases[0].url = "sqlite:" + (folder.path() / "keys.db").string();
    config.databases[1].url = "sqlite:" + (folder.path() / "leases.db").string();
    config.databases[1].name = "leases";
    config.snowflake.database = "leases";
    const auto registry = make_worker_registry(config, {"me", "", "1"});
    ASSERT_TRUE(registry) << registry.error().detail;
    EXPECT_THAT((*registry)->describe(), HasSubstr("leases.db"));
    const auto admin = make_worker_admin(config);
    ASSERT_TRUE(admin) << admin.error().detail;
    EXPECT_THAT((*admin)->describe(), HasSubstr("leases.db"));
    config.snowflake.database = "other";
    EXPECT_EQ(make_worker_registry(config, {}).error().code, errc::invalid_configuration);
    EXPECT_THAT(make_worker_admin(config).error().detail, HasSubstr("no [[database]] has the name \"other\""));
}

TEST(MakeWorkerRegistry, WorksOnZooKeeper) {
    Config config;
    config.snowflake.registry = Registry::zookeeper;
    config.snowflake.name = "orders";
    config.zookeeper.connect = "127.0.0.1:1";
    config.zookeeper.root = "/ids";
    config.zookeeper.auth = "user:hunter2";
    const auto registry = make_worker_registry(config, {"me", "", "1"});
    ASSERT_TRUE(registry) << registry.error().detail;
    EXPECT_THAT((*registry)->describe(), HasSubstr("127.0.0.1:1/ids/orders"));
    EXPECT_THAT((*registry)->describe(), Not(HasSubstr("hunter2")));
    const auto admin = make_worker_admin(config);
    ASSERT_TRUE(admin) << admin.error().detail;
    EXPECT_EQ((*admin)->describe(), (*registry)->describe());
    config.zookeeper.connect = "nonsense";
    EXPECT_EQ(make_worker_registry(config, {}).error().code, errc::invalid_configuration);
    EXPECT_EQ(make_worker_admin(config).error().code, errc::invalid_configuration);
}

TEST(MakeWorkerRegistry, RefusesStatic) {
    Config config;
    config.snowflake.registry = Registry::fixed;
    config.snowflake.worker_id = 1;
    EXPECT_EQ(make_worker_registry(config, {}).error().code, errc::invalid_configuration);
    EXPECT_THAT(make_worker_admin(config).error().detail, HasSubstr("\"static\""));
}

}  // namespace
}  // namespace frond::server
