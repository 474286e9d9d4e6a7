#include "server/config_check.hpp"
#include "server/config_keys.hpp"

#include <gtest/gtest.h>

#include <set>

namespace frond::server {
namespace {

TEST(ConfigKeys, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const ConfigKey& key : config_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
}

TEST(FindKey, FindsEveryKeyByItsFullName) {
    for (const ConfigKey& key : config_keys()) {
        const auto found = find_key(full_name(key, 0));
        ASSERT_TRUE(found) << key.name;
        EXPECT_EQ(found->key, &key);
        EXPECT_EQ(found->index, 0u);
    }
}

TEST(FindKey, CountsDatabases) {
    const auto found = find_key("database.12.url");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->key->name, "database.url");
    EXPECT_EQ(found->index, 12u);
    EXPECT_EQ(full_name(*found->key, 12), "database.12.url");
}

TEST(FindKey, FindsNothingElse) {
    for (const char* name : {"",
                             ".",
                             "server",
                             "listen",
                             "server.",
                             "server.Listen",
                             "server.listen.x",
                             "server.0.listen",
                             "database",
                             "database.",
                             "database.url",
                             "database.0",
                             "database.0.",
                             "database..url",
                             "database.x.url",
                             "database.-1.url",
                             "database.16.url",
                             "database.99999999999999999999.url",
                             "database.0.0.url",
                             "databases.0.url"}) {
        EXPECT_FALSE(find_key(name)) << name;
    }
}

TEST(EnvironmentName, SeparatesWithTwoUnderscores) {
    EXPECT_EQ(environment_name("server.drain_delay"), "FROND__SERVER__DRAIN_DELAY");
    EXPECT_EQ(environment_name("database.0.url"), "FROND__DATABASE__0__URL");
    EXPECT_EQ(environment_name("management_tls.key"), "FROND__MANAGEMENT_TLS__KEY");
}

TEST(NearestKey, ForgivesSlips) {
    EXPECT_EQ(nearest_key("server.listn"), "server.listen");
    EXPECT_EQ(nearest_key("server.drain_timout"), "server.drain_timeout");
    EXPECT_EQ(nearest_key("database.url"), "database.0.url");
    EXPECT_EQ(nearest_key("snowflake.workerid"), "snowflake.worker_id");
    EXPECT_EQ(nearest_section("severs"), "server");
    EXPECT_EQ(nearest_section("segments"), "segment");
}

TEST(NearestKey, PrefersTheRightKeyInAWrongSection) {
    EXPECT_EQ(nearest_key("server.refill_timeout"), "segment.refill_timeout");
    EXPECT_EQ(nearest_key("threads"), "server.threads");
    EXPECT_EQ(nearest_key("pool_size"), "database.0.pool_size");
}

TEST(OrdinalOf, IsTheNumberAtTheEndOfTheFirstLabel) {
    EXPECT_EQ(ordinal_of("frond-0"), 0);
    EXPECT_EQ(ordinal_of("frond-17"), 17);
    EXPECT_EQ(ordinal_of("frond-3.frond.prod.svc.cluster.local"), 3);
    EXPECT_EQ(ordinal_of("node007"), 7);
    EXPECT_EQ(ordinal_of("42"), 42);
}

TEST(OrdinalOf, IsNothingWithoutANumber) {
    for (const char* name : {"", "frond", "frond-", "3-frond", "frond-3x", "frond.3", "frond-99999999999999999999"}) {
        EXPECT_EQ(ordinal_of(name), std::nullopt) << name;
    }
}

}  // namespace
}  // namespace frond::server
