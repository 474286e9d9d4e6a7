#include "server/config_value.hpp"

#include <gtest/gtest.h>

namespace frond::server {
namespace {

using Type = RawValue::Type;

const ConfigKey& key_of(std::string_view name) { return *find_key(name)->key; }

// Applies a value and returns the key's text after it, or the problem.
std::string applied(std::string_view name, const RawValue& value) {
    Config config;
    const ConfigKey& key = key_of(name);
    if (const auto problem = apply_value(key, 0, value, config)) {
        EXPECT_EQ(config, Config()) << "a refused value must change nothing";
        return *problem;
    }
    return value_text(key, 0, config);
}

std::string untyped(std::string_view name, std::string text) {
    return applied(name, {Type::untyped, std::move(text), {}});
}

TEST(ApplyValue, ReadsBackEveryDefault) {
    for (const ConfigKey& key : config_keys()) {
        if (key.kind == Kind::worker_id) continue;
        Config config;
        const RawValue value{Type::untyped, value_text(key, 0, Config()), {}};
        EXPECT_EQ(apply_value(key, 0, value, config), std::nullopt) << key.name;
        EXPECT_EQ(config, Config()) << key.name;
    }
}

TEST(ApplyValue, RefusesEveryTypeThatAKeyDoesNotTake) {
    for (const ConfigKey& key : config_keys()) {
        for (const Type type : {Type::real, Type::table}) {
            Config config;
            EXPECT_TRUE(apply_value(key, 0, {type, "1.5", {}}, config)) << key.name;
        }
        Config config;
        const bool takes_list = key.kind == Kind::addresses;
        const RawValue list{Type::list, {}, {{Type::text, "localhost:1", {}}}};
        EXPECT_EQ(!apply_value(key, 0, list, config), takes_list) << key.name;
        const bool takes_flag = key.kind == Kind::flag;
        EXPECT_EQ(!apply_value(key, 0, {Type::flag, "true", {}}, config), takes_flag) << key.name;
    }
}

TEST(ApplyValue, ChecksWholeNumbers) {
    EXPECT_EQ(untyped("server.threads", "1024"), "1024");
    EXPECT_EQ(applied("server.threads", {Type::integer, "2", {}}), "2");
    for (const char* text : {"", "-1", "1025", "1.5", "0x10", "many", " 1", "1 ", "+1", "99999999999999999999"}) {
        EXPECT_NE(untyped("server.threads", text).find("expected a whole number from 0 to 1024"), std::string::npos)
            << text;
    }
    EXPECT_EQ(applied("server.threads", {Type::text, "2", {}}), R"(found "2", expected a whole number from 0 to 1024)");
    EXPECT_EQ(applied("server.threads", {Type::integer, "-5", {}}), "found -5, expected a whole number from 0 to 1024");
}

TEST(ApplyValue, ChecksSizes) {
    EXPECT_EQ(untyped("server.header_limit", "16KiB"), "16KiB");
    EXPECT_EQ(applied("server.header_limit", {Type::integer, "1000", {}}), "1000");
    EXPECT_EQ(applied("server.header_limit", {Type::text, "1MiB", {}}), "1MiB");
    EXPECT_EQ(untyped("server.header_limit", "2MiB"),
              R"(found "2MiB", expected a size from 512 to 1MiB, in bytes or such as "8KiB")");
}

TEST(ApplyValue, ChecksDurations) {
    EXPECT_EQ(untyped("server.drain_delay", "0s"), "0s");
    EXPECT_EQ(applied("server.drain_delay", {Type::text, "90s", {}}), "90s");
    EXPECT_EQ(applied("server.drain_delay", {Type::integer, "5", {}}),
              R"(found 5, expected a duration from 0s to 1h, such as "5s")");
    EXPECT_EQ(untyped("server.drain_delay", "61m").substr(0, 11), R"(found "61m")");
    EXPECT_EQ(untyped("database.0.connect_timeout", "3s"), "3s");
    EXPECT_EQ(untyped("database.0.connect_timeout", "3000ms"), "3s");
    for (const char* text : {"1500ms", "0s", "999ms", "2h"}) {
        EXPECT_EQ(untyped("database.0.connect_timeout", text),
                  std::string("found \"") + text + R"(", expected whole seconds from 1s to 1h, such as "5s")");
    }
}

TEST(ApplyValue, ChecksFlagsAndWords) {
    EXPECT_EQ(untyped("segment.enabled", "false"), "false");
    EXPECT_EQ(untyped("segment.enabled", "no"), R"(found "no", expected true or false)");
    EXPECT_EQ(untyped("log.level", "warning"), "warning");
    EXPECT_EQ(untyped("server.access_log", "sampled"), "sampled");
    EXPECT_EQ(untyped("server.access_log", "Off"), R"(found "Off", expected one of off, sampled, all)");
}

TEST(ApplyValue, ChecksTimes) {
    EXPECT_EQ(untyped("snowflake.epoch", "2020-01-01"), "2020-01-01T00:00:00.000Z");
    EXPECT_EQ(applied("snowflake.epoch", {Type::time, "2020-01-01T00:00:00+01:00", {}}), "2019-12-31T23:00:00.000Z");
    EXPECT_NE(applied("snowflake.epoch", {Type::integer, "0", {}}).find("expected a time"), std::string::npos);
    EXPECT_NE(untyped("snowflake.epoch", "yesterday").find("expected a time"), std::string::npos);
}

TEST(ApplyValue, ChecksAddresses) {
    EXPECT_EQ(untyped("server.listen", "0.0.0.0:80, [::1]:0"), "0.0.0.0:80,[::1]:0");
    EXPECT_EQ(applied("server.listen", {Type::text, "localhost:1", {}}), "localhost:1");
    for (const char* text : {"", "8080", "localhost", ":8080", "localhost:", "localhost:x", "localhost:65536", "::1:80",
                             "[::1]", "[]:80", "a:1,,b:2", "http://a:1"}) {
        EXPECT_NE(untyped("server.listen", text).find("expected one or more addresses"), std::string::npos) << text;
    }
    EXPECT_NE(applied("server.listen", {Type::list, {}, {}}).find("found a list"), std::string::npos);
    EXPECT_NE(applied("server.listen", {Type::list, {}, {{Type::integer, "80", {}}}}).find("found a list"),
              std::string::npos);
}

TEST(ApplyValue, ChecksWorkerIds) {
    EXPECT_EQ(untyped("snowflake.worker_id", "0"), "0");
    EXPECT_EQ(untyped("snowflake.worker_id", "ordinal"), "ordinal");
    EXPECT_EQ(applied("snowflake.worker_id", {Type::text, "ordinal", {}}), "ordinal");
    EXPECT_EQ(applied("snowflake.worker_id", {Type::text, "5", {}}),
              R"(found "5", expected a whole number from 0 on, or "ordinal")");
    EXPECT_NE(untyped("snowflake.worker_id", "-1").find("expected a whole number"), std::string::npos);
    Config config;
    ASSERT_FALSE(apply_value(key_of("snowflake.worker_id"), 0, {Type::untyped, "ordinal", {}}, config));
    ASSERT_FALSE(apply_value(key_of("snowflake.worker_id"), 0, {Type::untyped, "7", {}}, config));
    EXPECT_FALSE(config.snowflake.worker_id_ordinal);
    EXPECT_EQ(config.snowflake.worker_id, 7);
}

TEST(ApplyValue, ChecksTexts) {
    EXPECT_EQ(untyped("snowflake.state_dir", ""), "");
    EXPECT_EQ(untyped("snowflake.name", ""),
              R"(found "", expected a text of 1 to 128 bytes without control characters)");
    EXPECT_EQ(untyped("snowflake.name", "a\nb").substr(0, 14), R"(found "a\nb", )");
    const std::string long_name = untyped("snowflake.name", std::string(5000, 'x'));
    EXPECT_LT(long_name.size(), 250u);
}

TEST(ApplyValue, NeverShowsASecret) {
    for (const char* name : {"database.0.password", "database.0.url"}) {
        const std::string problem = untyped(name, "hunter2\n");
        EXPECT_EQ(problem.find("hunter2"), std::string::npos) << problem;
        EXPECT_NE(problem.find("not shown"), std::string::npos) << problem;
    }
}

TEST(ParseHostPort, TakesNamesAndAddresses) {
    const auto address6 = parse_host_port("[fe80::1%eth0]:8080");
    ASSERT_TRUE(address6);
    EXPECT_EQ(address6->host, "fe80::1%eth0");
    EXPECT_EQ(address6->port, 8080);
    EXPECT_EQ(parse_host_port("frond.example:0")->host, "frond.example");
}

}  // namespace
}  // namespace frond::server
