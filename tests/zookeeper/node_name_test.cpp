#include "zookeeper/node_name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond::zookeeper {
namespace {

const std::string owner = "0123456789abcdef0123456789abcdef";

TEST(NodeName, OfFrond) {
    const NodeName name = parse_node_name("frond:" + owner + "-0000000017");
    EXPECT_EQ(name.owner, owner);
    EXPECT_EQ(name.number, 17);
}

TEST(NodeName, PrefixAndNumberMakeTheName) {
    EXPECT_EQ(parse_node_name(node_prefix(owner) + "0000000003").owner, owner);
}

TEST(NodeName, OfLeaf) {
    const NodeName name = parse_node_name("10.1.2.3:8080-0000000007");
    EXPECT_EQ(name.owner, std::nullopt);
    EXPECT_EQ(name.number, 7);
}

TEST(NodeName, HighestNumberOfTheServer) {
    EXPECT_EQ(parse_node_name("frond:" + owner + "-2147483647").number, 2147483647);
    EXPECT_EQ(parse_node_name("frond:" + owner + "-2147483648").number, std::nullopt);
}

TEST(NodeName, OverflowedNumberIsNone) {
    for (const char* tail : {"--2147483648", "--2147483647", "--000000001"}) {
        const NodeName name = parse_node_name("frond:" + owner + tail);
        EXPECT_EQ(name.number, std::nullopt) << tail;
        EXPECT_EQ(name.owner, std::nullopt) << tail;
    }
}

TEST(NodeName, NothingElseIsFronds) {
    const std::vector<std::string> names{"frond:" + owner + "0-0000000001",
                                         "frond:" + owner.substr(1) + "-0000000001",
                                         "frond:" + owner,
                                         "frond:0123456789ABCDEF0123456789abcdef-0000000001",
                                         "frond" + owner + "-0000000001",
                                         "frond:" + owner + "-x-0000000001",
                                         "frond:" + owner + "-00000000001",
                                         ""};
    for (const std::string& text : names) {
        EXPECT_EQ(parse_node_name(text).owner, std::nullopt) << text;
    }
}

TEST(NodeName, WithoutTenDigitsThereIsNoNumber) {
    for (const char* text : {"", "x", "-", "0000000001", "x-000000001", "x-00000000a1", "x-+000000001"}) {
        EXPECT_EQ(parse_node_name(text).number, std::nullopt) << text;
    }
    EXPECT_EQ(parse_node_name("-0000000001").number, 1);
}

// Leaf splits at every '-' and takes the second part.
TEST(NodeName, HoldsNoDashBeforeTheNumber) {
    const std::string prefix = node_prefix(owner);
    EXPECT_EQ(prefix.find('-'), prefix.size() - 1);
}

}  // namespace
}  // namespace frond::zookeeper
