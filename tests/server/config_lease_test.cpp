// The settings that say who gives out the worker ID.
#include "server/config_check.hpp"
#include "server/load_helper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace frond::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ConfigSources sets(std::vector<std::string> values) {
    ConfigSources sources;
    sources.sets = std::move(values);
    return sources;
}

TEST(LeaseConfig, LeasesFromTheFirstDatabaseByDefault) {
    const SnowflakeConfig snowflake = loaded({}).config.snowflake;
    EXPECT_TRUE(snowflake.enabled);
    EXPECT_EQ(snowflake.registry, Registry::database);
    EXPECT_EQ(snowflake.worker_id, std::nullopt);
}

TEST(LeaseConfig, CarriesEverySetting) {
    const Config config =
        loaded(sets({"snowflake.registry=zookeeper", "snowflake.worker_id_offset=16", "snowflake.worker_id_limit=32",
                     "snowflake.identity=me", "snowflake.fence_window=20m", "zookeeper.connect=zk1:2181,[::1]:2182",
                     "zookeeper.root=/ids/a", "zookeeper.session_timeout=9s"}))
            .config;
    EXPECT_EQ(config.snowflake.registry, Registry::zookeeper);
    EXPECT_EQ(config.snowflake.worker_id_offset, 16);
    EXPECT_EQ(config.snowflake.worker_id_limit, 32);
    EXPECT_EQ(config.snowflake.identity, "me");
    EXPECT_EQ(config.snowflake.fence_window, milliseconds(1'200'000));
    EXPECT_EQ(config.zookeeper.connect, "zk1:2181,[::1]:2182");
    EXPECT_EQ(config.zookeeper.root, "/ids/a");
    EXPECT_EQ(config.zookeeper.session_timeout, milliseconds(9'000));
}

TEST(LeaseConfig, StaticWantsAWorkerId) {
    EXPECT_THAT(errors_of(sets({"snowflake.registry=static"})),
                HasSubstr("--set: snowflake.worker_id: is not set, and snowflake.registry = \"static\" needs it"));
    EXPECT_EQ(loaded(sets({"snowflake.registry=static", "snowflake.worker_id=1023"})).config.snowflake.worker_id, 1023);
    EXPECT_EQ(errors_of(sets({"snowflake.registry=static", "snowflake.enabled=false"})), "");
}

TEST(LeaseConfig, AWorkerIdWantsStatic) {
    EXPECT_THAT(errors_of(sets({"snowflake.worker_id=0"})),
                HasSubstr("--set: snowflake.worker_id: has a meaning only with snowflake.registry = \"static\", and "
                          "that is \"database\""));
    const std::string errors =
        errors_of(sets({"snowflake.worker_id=ordinal", "snowflake.registry=zookeeper", "zookeeper.connect=zk:2181"}));
    EXPECT_THAT(errors, HasSubstr("that is \"zookeeper\", which gives out numbers by itself; set snowflake.registry = "
                                  "\"static\" to use this one, or leave it out\n"));
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

TEST(LeaseConfig, AWorkerIdFitsItsField) {
    EXPECT_THAT(
        errors_of(sets({"snowflake.registry=static", "snowflake.worker_id=1024"})),
        HasSubstr("--set: snowflake.worker_id: 1024 does not fit snowflake.worker_bits = 10: the highest is 1023"));
}

TEST(LeaseConfig, AWorkerIdIsWithinTheShareOfTheSite) {
    std::vector<std::string> values{"snowflake.registry=static", "snowflake.worker_id=15",
                                    "snowflake.worker_id_offset=16", "snowflake.worker_id_limit=4"};
    EXPECT_THAT(errors_of(sets(values)),
                HasSubstr("--set: snowflake.worker_id: 15 is outside the share of this site, 16 to 19"));
    values.emplace_back("snowflake.worker_id=20");
    EXPECT_THAT(errors_of(sets(values)), HasSubstr("20 is outside the share of this site, 16 to 19"));
    values.emplace_back("snowflake.worker_id=19");
    EXPECT_EQ(errors_of(sets(values)), "");
}

TEST(LeaseConfig, TakesTheOrdinalOfTheHost) {
    ConfigSources sources = sets({"snowflake.registry=static", "snowflake.worker_id=ordinal"});
    sources.host_name = "frond-12.frond.svc";
    const SnowflakeConfig snowflake = loaded(sources).config.snowflake;
    EXPECT_EQ(snowflake.worker_id, 12);
    EXPECT_TRUE(snowflake.worker_id_ordinal);
    sources.host_name = "frond-1024";
    EXPECT_THAT(errors_of(sources), HasSubstr("snowflake.worker_id: 1024 (the ordinal of this host) does not fit"));
    sources.host_name = "frond";
    const std::string errors = errors_of(sources);
    EXPECT_THAT(errors, HasSubstr("snowflake.worker_id: \"ordinal\" needs a host name that ends in a number"));
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    sources.sets.emplace_back("snowflake.enabled=false");
    EXPECT_EQ(loaded(sources).config.snowflake.worker_id, std::nullopt);
}

TEST(LeaseConfig, TheShareFitsTheField) {
    EXPECT_THAT(errors_of(sets({"snowflake.worker_id_offset=1024"})),
                HasSubstr("--set: snowflake.worker_id_offset: is 1024; with 10 worker bits it must be 0 to 1023"));
    EXPECT_THAT(errors_of(sets({"snowflake.worker_id_offset=1000", "snowflake.worker_id_limit=25"})),
                HasSubstr("--set: snowflake.worker_id_limit: is 25; with 10 worker bits and an offset of 1000"));
    EXPECT_EQ(errors_of(sets({"snowflake.worker_id_offset=1000", "snowflake.worker_id_limit=24"})), "");
}

TEST(LeaseConfig, ZooKeeperWantsServers) {
    EXPECT_THAT(errors_of(sets({"snowflake.registry=zookeeper"})),
                HasSubstr("--set: zookeeper.connect: is not set, and snowflake.registry = \"zookeeper\" needs it"));
}

TEST(LeaseConfig, ChecksEachServerOfZooKeeper) {
    for (const char* good : {"zk:2181", "a.b-c:1,10.0.0.1:65535,[2001:db8::1]:2181"}) {
        EXPECT_EQ(errors_of(sets({std::string("zookeeper.connect=") + good})), "");
    }
    const std::string errors = errors_of(sets({"zookeeper.connect=zk1,zk2:2181,:1,zk3:0,zk4:65536,a b:1"}));
    for (const char* wrong : {"zk1", ":1", "zk3:0", "zk4:65536", "a b:1"}) {
        EXPECT_THAT(errors, HasSubstr("zookeeper.connect: found \"" + std::string(wrong) + "\", expected host:port\n"));
    }
    EXPECT_THAT(errors, Not(HasSubstr("zk2")));
    for (const char* wrong : {"zk:2181,", ",zk:2181", "zk:2181,,zk:2182", ","}) {
        EXPECT_THAT(errors_of(sets({std::string("zookeeper.connect=") + wrong})), HasSubstr("found \"\"")) << wrong;
    }
    EXPECT_THAT(errors_of(sets({"zookeeper.connect=zk:2181/ids"})),
                HasSubstr("found \"zk:2181/ids\", expected host:port; a path belongs into zookeeper.root"));
}

TEST(LeaseConfig, ChecksTheRootOfZooKeeper) {
    for (const char* wrong : {"x", "/x/", "//x", "/x//y", "/.", "/../x", "/x/./y", "/zookeeper", "/\U0001F600"}) {
        const std::string errors = errors_of(sets({std::string("zookeeper.root=") + wrong}));
        EXPECT_THAT(errors, HasSubstr("--set: zookeeper.root: is '" + std::string(wrong) + "', ")) << wrong;
        EXPECT_EQ(std::ranges::count(errors, '\n'), 1) << "said once: " << errors;
    }
    for (const char* good : {"/", "/x", "/x/y.z", "/...", "/x/..y"}) {
        EXPECT_EQ(errors_of(sets({std::string("zookeeper.root=") + good})), "") << good;
    }
}

TEST(LeaseConfig, ChecksWhatZooKeeperTakesForANode) {
    const std::vector<std::string> values{"snowflake.registry=zookeeper", "zookeeper.connect=zk:2181"};
    const auto with = [&values](const std::string& value) {
        auto all = values;
        all.push_back(value);
        return errors_of(sets(all));
    };
    EXPECT_EQ(with("snowflake.name=订单.1 x"), "");
    EXPECT_THAT(with("snowflake.name=\U0001F600"), HasSubstr("--set: snowflake.name: holds U+1F600;"));
    EXPECT_THAT(with("zookeeper.root=/zookeeper/x"),
                HasSubstr("--set: zookeeper.root: is '/zookeeper/x', ZooKeeper's own;"));
    EXPECT_THAT(with("snowflake.name=a/b"), testing::Not(HasSubstr("holds '/'"))) << "it has been said";
    EXPECT_EQ(errors_of(sets({"snowflake.name=\U0001F600"})), "") << "a database takes it";
}

TEST(LeaseConfig, ZooKeeperNeedsMoreThanTheFirstNumber) {
    std::vector<std::string> values{"snowflake.registry=zookeeper", "zookeeper.connect=zk:2181",
                                    "snowflake.worker_bits=0"};
    EXPECT_THAT(errors_of(sets(values)), HasSubstr("never gives out the first number"));
    values.back() = "snowflake.worker_bits=1";
    EXPECT_EQ(errors_of(sets(values)), "");
    values.emplace_back("snowflake.worker_id_limit=1");
    EXPECT_THAT(errors_of(sets(values)), HasSubstr("never gives out the first number"));
}

TEST(LeaseConfig, ReadsTheSecretOfZooKeeper) {
    const TemporaryFolder folder;
    const auto load = [&](std::string_view content) {
        return load_config(sets({"zookeeper.auth_file=" + folder.write("auth", content).string()}));
    };
    EXPECT_EQ(std::get<LoadedConfig>(load("ids:se:cret\n")).config.zookeeper.auth, "ids:se:cret");
    for (const char* wrong : {"", "hunter2", ":hunter2", "ids:hunter2\nmore\n"}) {
        const std::string errors = errors_of(load(wrong));
        EXPECT_THAT(errors, HasSubstr("auth must hold one line, user:password")) << wrong;
        EXPECT_THAT(errors, Not(HasSubstr("hunter2")));
    }
    EXPECT_THAT(errors_of(sets({"zookeeper.auth_file=/none/at/all"})),
                HasSubstr("--set: zookeeper.auth_file: cannot read /none/at/all: No such file or directory"));
}

TEST(LeaseConfig, NamesADatabaseThatExists) {
    EXPECT_EQ(errors_of(sets({"snowflake.database=main"})), "");
    EXPECT_THAT(errors_of(sets({"snowflake.database=leases"})),
                HasSubstr("--set: snowflake.database: no [[database]] has the name \"leases\""));
}

TEST(LeaseConfig, MayUseASecondDatabase) {
    ConfigSources sources = sets({"database.1.name=leases", "snowflake.database=leases"});
    sources.databases = {"sqlite:a", "sqlite:b"};
    EXPECT_EQ(errors_of(sources), "");
    sources.sets = {"database.1.name=leases"};
    EXPECT_THAT(errors_of(sources),
                HasSubstr("--database: database.1.url: a second [[database]] is not supported by this release"));
    sources.sets = {"database.1.name=leases", "snowflake.database=leases", "snowflake.enabled=false"};
    EXPECT_THAT(errors_of(sources), HasSubstr("a second [[database]] is not supported"));
    sources.sets = {};
    EXPECT_THAT(errors_of(sources),
                HasSubstr("--database: database.1.name: another [[database]] has the name \"main\" as well"));
    EXPECT_THAT(errors_of(sets({"database.2.name=x"})), HasSubstr("database.1.url is missing"));
}

TEST(LeaseConfig, RefusesSqliteInKubernetes) {
    ConfigSources sources;
    sources.in_kubernetes = true;
    EXPECT_THAT(errors_of(sources), HasSubstr("default: snowflake.registry: worker IDs cannot be leased from a SQLite "
                                              "file inside Kubernetes"));
    for (const char* remedy :
         {"snowflake.single_instance=true", "database.0.url=mysql://u@h/d", "snowflake.enabled=false"}) {
        sources.sets = {remedy};
        EXPECT_EQ(errors_of(sources), "") << remedy;
    }
    sources.sets = {"snowflake.registry=static", "snowflake.worker_id=1"};
    EXPECT_EQ(errors_of(sources), "");
    sources.sets = {"database.0.url=mysql://u@h/d", "database.1.url=sqlite:x", "database.1.name=leases",
                    "snowflake.database=leases"};
    EXPECT_THAT(errors_of(sources), HasSubstr("inside Kubernetes")) << "it is the named database that counts";
}

TEST(LeaseConfig, ReportsEverythingAtOnce) {
    const std::string errors =
        errors_of(sets({"snowflake.registry=zookeeper", "snowflake.worker_id=1", "snowflake.worker_id_offset=5000",
                        "zookeeper.root=x", "snowflake.heartbeat=20m", "snowflake.name=a/b"}));
    for (const char* key : {"zookeeper.connect", "snowflake.worker_id", "snowflake.worker_id_offset", "zookeeper.root",
                            "snowflake.heartbeat", "snowflake.name"}) {
        EXPECT_THAT(errors, HasSubstr(std::string("--set: ") + key + ": "));
    }
}

TEST(LeaseConfig, RefusesNamesThatNoRegistryTakes) {
    EXPECT_THAT(errors_of(sets({"snowflake.name=a/b"})), HasSubstr("--set: snowflake.name: must not hold '/'"));
    for (const char* name : {".", ".."}) {
        EXPECT_THAT(errors_of(sets({std::string("snowflake.name=") + name})), HasSubstr("must not be '.' or '..'"));
    }
    EXPECT_EQ(errors_of(sets({"snowflake.name=..."})), "");
}

TEST(LeaseConfig, WantsTheHeartbeatWithinTheFence) {
    EXPECT_EQ(loaded(sets({"snowflake.heartbeat=4s"})).config.snowflake.heartbeat, milliseconds(4000));
    EXPECT_THAT(errors_of(sets({"snowflake.heartbeat=15m"})),
                HasSubstr("--set: snowflake.heartbeat: 15m is not less than snowflake.fence_window, 15m"));
    EXPECT_THAT(errors_of(sets({"snowflake.fence_window=3s"})),
                HasSubstr("--set: snowflake.heartbeat: 3s is not less than snowflake.fence_window, 3s"));
}

TEST(LeaseConfig, WarnsOfAHeartbeatThatMayHardlyFail) {
    EXPECT_THAT(loaded(sets({"snowflake.fence_window=9s"})).warnings, ElementsAre());
    EXPECT_THAT(loaded(sets({"snowflake.fence_window=8s"})).warnings,
                ElementsAre(HasSubstr("snowflake.heartbeat: 3s is more than a third of snowflake.fence_window, 8s")));
    EXPECT_THAT(
        loaded(sets({"snowflake.fence_window=8s", "snowflake.registry=static", "snowflake.worker_id=1"})).warnings,
        ElementsAre());
}

TEST(CheckConfig, WantsTheFenceBeyondHeartbeatAndLead) {
    Config config;
    config.snowflake.heartbeat = config.snowflake.fence_window;
    const auto findings = check_config(config);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].keys[0], "snowflake.heartbeat");
    EXPECT_EQ(findings[0].text, "15m is not less than snowflake.fence_window, 15m");
    config.snowflake.heartbeat = Config().snowflake.heartbeat;
    config.snowflake.max_ahead = milliseconds(900'001);
    EXPECT_EQ(check_config(config).at(0).keys[0], "snowflake.max_ahead");
}

}  // namespace
}  // namespace frond::server
