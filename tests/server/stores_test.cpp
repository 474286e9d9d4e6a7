#include "server/stores.hpp"

#include "server/load_helper.hpp"

#include <gtest/gtest.h>

namespace frond::server {
namespace {

TEST(DatabaseOptions, CarryEverySetting) {
    DatabaseConfig database;
    database.name = "orders";
    database.url = "mysql://u@h/d";
    database.password = "secret";
    database.pool_size = 7;
    database.connect_timeout = milliseconds(3000);
    database.query_timeout = milliseconds(9000);
    database.tls_ca = "ca.pem";
    const sql::DatabaseOptions options = database_options(database);
    EXPECT_EQ(options.name, "orders");
    EXPECT_EQ(options.url, "mysql://u@h/d");
    EXPECT_EQ(options.password, "secret");
    EXPECT_EQ(options.pool_size, 7u);
    EXPECT_EQ(options.connect_timeout, std::chrono::seconds(3));
    EXPECT_EQ(options.query_timeout, std::chrono::seconds(9));
    EXPECT_EQ(options.tls_ca, "ca.pem");
}

TEST(DatabaseOptions, LeaveThePasswordToTheUrlWhenThereIsNone) {
    EXPECT_EQ(database_options(DatabaseConfig()).password, std::nullopt);
}

TEST(MakeKeyAdmin, WorksOnTheConfiguredDatabase) {
    const TemporaryFolder folder;
    Config config;
    config.databases[0].url = "sqlite:" + (folder.path() / "frond.db").string();
    const auto admin = make_key_admin(config);
    ASSERT_TRUE(admin);
    EXPECT_TRUE((*admin)->init());
    segment::KeyRecord record;
    record.key = "demo";
    ASSERT_TRUE((*admin)->create(record));
    EXPECT_EQ((*admin)->show("demo")->step, 1000);
}

TEST(MakeKeyAdmin, RefusesAWrongUrl) {
    Config config;
    config.databases[0].url = "nonsense";
    const auto admin = make_key_admin(config);
    ASSERT_FALSE(admin);
    EXPECT_EQ(admin.error().code, errc::invalid_configuration);
}

}  // namespace
}  // namespace frond::server
