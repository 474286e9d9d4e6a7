#include "zookeeper/seen.hpp"

#include <gtest/gtest.h>

namespace frond::zookeeper {
namespace {

NodeStat data_stat(std::int64_t created, std::int64_t modified, std::int32_t version) {
    NodeStat stat;
    stat.created_zxid = created;
    stat.modified_zxid = modified;
    stat.version = version;
    return stat;
}

NodeStat children_stat(std::int64_t created, std::int64_t changed, std::int64_t creations) {
    NodeStat stat;
    stat.created_zxid = created;
    stat.children_zxid = changed;
    stat.creations = creations;
    return stat;
}

TEST(Seen, ForwardAndTheSameAgainIsFine) {
    Seen seen;
    EXPECT_TRUE(seen.data("/a", data_stat(5, 5, 0)));
    EXPECT_TRUE(seen.data("/a", data_stat(5, 5, 0)));
    EXPECT_TRUE(seen.data("/a", data_stat(5, 9, 1)));
    EXPECT_TRUE(seen.data("/b", data_stat(6, 7, 3)));
}

TEST(Seen, OlderData) {
    Seen seen;
    ASSERT_TRUE(seen.data("/a", data_stat(5, 9, 2)));
    EXPECT_FALSE(seen.data("/a", data_stat(5, 8, 2)));
    EXPECT_FALSE(seen.data("/a", data_stat(5, 12, 1)));
    EXPECT_FALSE(seen.data("/a", data_stat(4, 9, 2)));
    EXPECT_TRUE(seen.data("/a", data_stat(5, 9, 2)));
}

TEST(Seen, ANewNodeBeginsAnew) {
    Seen seen;
    ASSERT_TRUE(seen.data("/a", data_stat(5, 9, 7)));
    EXPECT_TRUE(seen.data("/a", data_stat(10, 10, 0)));
    EXPECT_FALSE(seen.data("/a", data_stat(5, 9, 7)));
}

TEST(Seen, OlderChildren) {
    Seen seen;
    ASSERT_TRUE(seen.children("/p", children_stat(3, 20, 6)));
    EXPECT_FALSE(seen.children("/p", children_stat(3, 19, 6)));
    EXPECT_FALSE(seen.children("/p", children_stat(3, 30, 5)));
    EXPECT_TRUE(seen.children("/p", children_stat(3, 30, 6)));
    EXPECT_TRUE(seen.children("/p", children_stat(3, 31, -1)));
}

TEST(Seen, AWriteComesAfterAllThatWasSeen) {
    Seen seen;
    ASSERT_TRUE(seen.data("/a", data_stat(5, 9, 1)));
    ASSERT_TRUE(seen.children("/p", children_stat(3, 20, 6)));
    EXPECT_FALSE(seen.write("/a", data_stat(5, 20, 2)));
    EXPECT_TRUE(seen.write("/a", data_stat(5, 21, 2)));
    EXPECT_FALSE(seen.write("/a", data_stat(5, 22, 1)));
}

}  // namespace
}  // namespace frond::zookeeper
