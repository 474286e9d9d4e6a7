#include "server/config_sources.hpp"

#include <gtest/gtest.h>

namespace frond::server {
namespace {

Gathered read(std::string_view text) {
    Gathered out;
    read_toml(text, "f.toml", out);
    return out;
}

std::string only_error(std::string_view text) {
    const Gathered out = read(text);
    EXPECT_EQ(out.errors.size(), 1u);
    return out.errors.empty() ? "" : out.errors.front();
}

TEST(ReadToml, MakesSettingsInTheOrderOfLines) {
    const Gathered out = read("[snowflake]\nworker_id = 5\n[server]\nthreads = 2\nlisten = [\"a:1\", \"b:2\"]\n");
    ASSERT_EQ(out.errors, std::vector<std::string>());
    ASSERT_EQ(out.settings.size(), 3u);
    EXPECT_EQ(out.settings[0].key, "snowflake.worker_id");
    EXPECT_EQ(out.settings[0].source, "f.toml:2");
    EXPECT_EQ(out.settings[0].value.type, RawValue::Type::integer);
    EXPECT_EQ(out.settings[1].key, "server.threads");
    EXPECT_EQ(out.settings[2].value.items.at(1).text, "b:2");
    EXPECT_EQ(out.settings[2].source, "f.toml:5");
}

TEST(ReadToml, KeepsTheTypes) {
    const Gathered out = read(
        "log.level = 'x'\nlog.a = 1.5\nlog.b = true\nlog.c = 2020-01-02T03:04:05.678Z\nlog.d = 2020-01-02\n"
        "log.e = {x = 1}\n");
    using Type = RawValue::Type;
    const std::vector<std::pair<Type, std::string>> expected{
        {Type::text, "x"},          {Type::real, "1.5"}, {Type::flag, "true"}, {Type::time, "2020-01-02T03:04:05.678Z"},
        {Type::time, "2020-01-02"}, {Type::table, ""}};
    ASSERT_EQ(out.settings.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(out.settings[i].value.type, expected[i].first) << i;
        EXPECT_EQ(out.settings[i].value.text, expected[i].second) << i;
    }
}

TEST(ReadToml, NumbersDatabases) {
    const Gathered out = read("[[database]]\nname = 'a'\n[[database]]\nname = 'b'\n");
    ASSERT_EQ(out.settings.size(), 2u);
    EXPECT_EQ(out.settings[0].key, "database.0.name");
    EXPECT_EQ(out.settings[1].key, "database.1.name");
}

TEST(ReadToml, RefusesOtherShapesOfDatabases) {
    EXPECT_EQ(only_error("[database]\nurl = 'x'\n"),
              "f.toml:1: each database is a section of its own: write [[database]]");
    EXPECT_EQ(only_error("database = []\n"), "f.toml:1: each database is a section of its own: write [[database]]");
    std::string many;
    for (int i = 0; i < 17; ++i) many += "[[database]]\nname = 'x'\n";
    EXPECT_EQ(only_error(many), "f.toml:1: at most 16 [[database]] sections");
}

TEST(ReadToml, RefusesUnknownSectionsAndLooseKeys) {
    EXPECT_EQ(only_error("\n[segmnt]\nenabled = 7\n"), "f.toml:2: unknown section [segmnt]; did you mean [segment]?");
    EXPECT_EQ(only_error("[[log]]\n"), "f.toml:1: log is a section: write [log]");
    EXPECT_EQ(only_error("log = 5\n"), "f.toml:1: log is a section: write [log]");
    EXPECT_EQ(only_error("threads = 5\n"), "f.toml:1: unknown key threads; did you mean server.threads?");
}

TEST(ReadToml, TellsTheLineOfASyntaxError) {
    EXPECT_EQ(only_error("[server]\nthreads = \n").substr(0, 24), "f.toml:2: TOML syntax: E");
    EXPECT_EQ(only_error("[log]\nlevel = 'a'\nlevel = 'b'\n").substr(0, 23), "f.toml:3: TOML syntax: ");
    EXPECT_EQ(only_error("[log]\n[server]\n[log]\n").substr(0, 23), "f.toml:3: TOML syntax: ");
    EXPECT_EQ(only_error("a = '\xff'\n").substr(0, 23), "f.toml:1: TOML syntax: ");
}

}  // namespace
}  // namespace frond::server
