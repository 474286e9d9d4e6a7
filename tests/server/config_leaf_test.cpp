#include "server/load_helper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::server {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class LeafFile : public testing::Test {
protected:
    ConfigSources with(std::string_view text, const char* name = "leaf.properties") {
        ConfigSources sources;
        sources.file = folder_.write(name, text);
        sources.host_name = "box";
        return sources;
    }

    TemporaryFolder folder_;
};

constexpr std::string_view segment_only =
    "leaf.name=com.example.leaf\n"
    "leaf.segment.enable=true\n"
    "leaf.jdbc.url=jdbc:mysql://db.example:3307/leaf?useUnicode=true&characterEncoding=utf8\n"
    "leaf.jdbc.username=leaf@office\n"
    "leaf.jdbc.password=s:e/cret\n"
    "\n"
    "leaf.snowflake.enable=false\n"
    "#leaf.snowflake.zk.address=\n"
    "leaf.snowflake.port=2181\n";

TEST_F(LeafFile, IsTranslated) {
    const LoadedConfig loaded_config = loaded(with(segment_only));
    const Config& config = loaded_config.config;
    EXPECT_EQ(config.snowflake.name, "com.example.leaf");
    EXPECT_TRUE(config.segment.enabled);
    EXPECT_FALSE(config.snowflake.enabled);
    EXPECT_EQ(config.databases[0].url, "mysql://leaf%40office@db.example:3307/leaf");
    EXPECT_EQ(config.databases[0].password, "s:e/cret");
}

TEST_F(LeafFile, LeavesANoteForEachKeyAndHidesThePassword) {
    const LoadedConfig loaded_config = loaded(with(segment_only));
    const auto& notes = loaded_config.notes;
    for (const char* note :
         {":1 (leaf.name): snowflake.name = com.example.leaf", ":2 (leaf.segment.enable): segment.enabled = true",
          ":3 (leaf.jdbc.url): database.0.url = mysql://leaf%40office@db.example:3307/leaf",
          ":3 (leaf.jdbc.url): the parameters after '?'", ":4 (leaf.jdbc.username): became part of",
          ":5 (leaf.jdbc.password): database.0.password = …", ":7 (leaf.snowflake.enable): snowflake.enabled = false",
          ":9 (leaf.snowflake.port): not used, because leaf.snowflake.enable is false"}) {
        EXPECT_THAT(notes, Contains(HasSubstr(note)));
    }
    EXPECT_THAT(notes, Not(Contains(HasSubstr("s:e/cret"))));
}

TEST_F(LeafFile, IsKnownByItsContent) {
    const std::string text = "\n# Leaf\n!\n  leaf.segment.enable = false\nleaf.snowflake.enable=FALSE\n";
    const Config config = loaded(with(text, "frond.conf")).config;
    EXPECT_FALSE(config.segment.enabled);
    EXPECT_FALSE(config.snowflake.enabled);
}

TEST_F(LeafFile, FollowsLeafsCodeWhereAModeIsNotMentioned) {
    const LoadedConfig both =
        loaded(with("leaf.jdbc.url=jdbc:mysql://h/d\nleaf.jdbc.username=u\nleaf.snowflake.zk.address=zk:2181\n"));
    EXPECT_TRUE(both.config.segment.enabled);
    EXPECT_TRUE(both.config.snowflake.enabled);
    EXPECT_THAT(both.notes, Contains(HasSubstr("segment.enabled = true, because leaf.segment.enable is absent")));
    EXPECT_THAT(both.notes, Contains(HasSubstr("snowflake.enabled = true, because leaf.snowflake.enable is absent")));
}

TEST_F(LeafFile, LeasesWhereLeafServersDo) {
    const LoadedConfig loaded_config =
        loaded(with("leaf.name=com.example.leaf\nleaf.segment.enable=false\nleaf.snowflake.enable=true\n"
                    "leaf.snowflake.zk.address=zk1:2181,zk2:2181\nleaf.snowflake.port=8080\n"));
    const Config& config = loaded_config.config;
    EXPECT_EQ(config.snowflake.registry, Registry::zookeeper);
    EXPECT_EQ(config.snowflake.name, "com.example.leaf");
    EXPECT_EQ(config.snowflake.identity, "box:8080");
    EXPECT_EQ(config.zookeeper.connect, "zk1:2181,zk2:2181");
    EXPECT_EQ(config.zookeeper.root, "/snowflake");
    EXPECT_EQ(config.snowflake.epoch_ms, SnowflakeLayout::leaf_epoch_ms);
    for (const char* note : {":4 (leaf.snowflake.zk.address): snowflake.registry = zookeeper",
                             ":4 (leaf.snowflake.zk.address): zookeeper.connect = zk1:2181,zk2:2181",
                             ":5 (leaf.snowflake.port): snowflake.identity = box:8080"}) {
        EXPECT_THAT(loaded_config.notes, Contains(HasSubstr(note)));
    }
}

// Curator puts a path at the end of the servers before everything that Leaf does.
TEST_F(LeafFile, TakesThePathAfterTheServersForARoot) {
    const Config config =
        loaded(with("leaf.segment.enable=false\nleaf.snowflake.zk.address=zk1:2181,zk2:2181/apps/ids\n")).config;
    EXPECT_EQ(config.zookeeper.connect, "zk1:2181,zk2:2181");
    EXPECT_EQ(config.zookeeper.root, "/apps/ids/snowflake");
    EXPECT_EQ(loaded(with("leaf.segment.enable=false\nleaf.snowflake.zk.address=zk:2181/\n")).config.zookeeper.root,
              "/snowflake");
}

TEST_F(LeafFile, WithoutANameIsUnderTheNameThatLeafMakesOfIt) {
    const LoadedConfig loaded_config = loaded(with("leaf.segment.enable=false\nleaf.snowflake.zk.address=zk:2181\n"));
    EXPECT_EQ(loaded_config.config.snowflake.name, "null");
    EXPECT_THAT(loaded_config.notes, Contains(HasSubstr("snowflake.name = null, because leaf.name is absent")));
}

TEST_F(LeafFile, NeverLeasesElsewhere) {
    const std::string text = "leaf.segment.enable=false\nleaf.snowflake.enable=true\n";
    EXPECT_THAT(errors_of(with(text)), HasSubstr("zookeeper.connect: is not set, and snowflake.registry = "));
    ConfigSources sources = with(text);
    sources.sets = {"snowflake.registry=static", "snowflake.worker_id=7"};
    EXPECT_EQ(loaded(sources).config.snowflake.worker_id, 7) << "unless somebody says so";
}

TEST_F(LeafFile, NeverFallsBackToAnotherDatabase) {
    EXPECT_THAT(errors_of(with("leaf.segment.enable=true\nleaf.snowflake.enable=false\n")),
                HasSubstr("leaf.jdbc.url is missing"));
    EXPECT_THAT(errors_of(with("leaf.jdbc.url=jdbc:mysql://h/d\nleaf.snowflake.enable=false\n")),
                HasSubstr("leaf.jdbc.username is missing"));
    ConfigSources sources = with("leaf.segment.enable=true\nleaf.snowflake.enable=false\n");
    sources.databases = {"sqlite:other.db"};
    EXPECT_EQ(loaded(sources).config.databases[0].url, "sqlite:other.db");
}

TEST_F(LeafFile, ReportsEverythingWrongAtOnce) {
    const std::string errors =
        errors_of(with("leaf.nam=x\nleaf.segment.enable=yes\nleaf.jdbc.url=x\nleaf.snowflake.enable=true\n"
                       "leaf.snowflake.zk.address=zk\nleaf.snowflake.port=8080\n"));
    EXPECT_THAT(errors, HasSubstr(":1: unknown key leaf.nam; Leaf's keys are leaf.name, "));
    EXPECT_THAT(errors, HasSubstr(":2 (leaf.segment.enable): expected true or false"));
    EXPECT_THAT(errors,
                HasSubstr(":5 (leaf.snowflake.zk.address): zookeeper.connect: found \"zk\", expected host:port"));
}

TEST_F(LeafFile, RefusesAUrlThatIsNoMySqlUrl) {
    const std::string errors =
        errors_of(with("leaf.jdbc.url=jdbc:oracle:thin:@h\nleaf.jdbc.username=u\nleaf.snowflake.enable=false\n"));
    EXPECT_THAT(errors, HasSubstr(":1 (leaf.jdbc.url): expected jdbc:mysql://host:port/database"));
}

TEST_F(LeafFile, LosesAgainstEnvironmentAndCommandLine) {
    ConfigSources sources = with(segment_only);
    sources.environment = {{"FROND__SNOWFLAKE__NAME", "env"}};
    sources.sets = {"segment.enabled=false"};
    const Config config = loaded(sources).config;
    EXPECT_EQ(config.snowflake.name, "env");
    EXPECT_FALSE(config.segment.enabled);
}

}  // namespace
}  // namespace frond::server
