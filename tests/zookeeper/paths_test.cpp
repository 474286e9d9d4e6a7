#include "zookeeper/paths.hpp"

#include <gtest/gtest.h>

namespace frond::zookeeper {
namespace {

TEST(Paths, AreWhereLeafHasThem) {
    const auto paths = Paths::make("/snowflake", "order-service.v2");
    ASSERT_TRUE(paths);
    EXPECT_EQ(paths->parent(), "/snowflake/order-service.v2/forever");
    EXPECT_EQ(paths->live(), "/snowflake/order-service.v2/live");
    EXPECT_EQ(paths->name_node(), "/snowflake/order-service.v2/frond");
    EXPECT_EQ(paths->record("x"), "/snowflake/order-service.v2/forever/x");
}

TEST(Paths, RootMayBeTheVeryRoot) { EXPECT_EQ(Paths::make("/", "a")->base(), "/a"); }

TEST(Paths, NamesMayHoldAnyLetters) {
    for (const char* name : {"订单", "größe", "a b", "..a", "a.b", "a-1-b", "ﬀ", "zookeeper"}) {
        EXPECT_TRUE(Paths::make("/r", name)) << name;
    }
}

TEST(Paths, NamesThatZooKeeperRefuses) {
    using namespace std::string_view_literals;
    for (const auto name : {""sv, "."sv, ".."sv, "a/b"sv, "a\0b"sv, "a\x1f"sv, "a\x7f"sv, "\xc2\x85"sv,
                            "\xee\x80\x80"sv, "\xef\xbf\xbf"sv, "\xf0\x9f\x98\x80"sv, "\xff"sv}) {
        const auto paths = Paths::make("/r", name);
        ASSERT_FALSE(paths) << name;
        EXPECT_EQ(paths.error().code, errc::invalid_configuration);
        EXPECT_TRUE(paths.error().detail.starts_with("snowflake.name ")) << paths.error().detail;
    }
}

TEST(Paths, WhatIsZooKeepersOwnIsNoName) {
    EXPECT_FALSE(Paths::make("/", "zookeeper"));
    EXPECT_TRUE(Paths::make("/a", "zookeeper"));
}

TEST(Paths, RootsThatZooKeeperRefuses) {
    for (const char* root : {"", "a", "//", "/a/", "/a//b", "/a/./b", "/..", "/a\n", "/zookeeper", "/zookeeper/a"}) {
        const auto paths = Paths::make(root, "name");
        ASSERT_FALSE(paths) << root;
        EXPECT_EQ(paths.error().code, errc::invalid_configuration);
        EXPECT_TRUE(paths.error().detail.starts_with("zookeeper.root ")) << paths.error().detail;
    }
}

}  // namespace
}  // namespace frond::zookeeper
