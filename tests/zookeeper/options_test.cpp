#include "zookeeper/options.hpp"

#include <gtest/gtest.h>

namespace frond::zookeeper {
namespace {

RegistryOptions options(std::string connect) {
    RegistryOptions options;
    options.connect = std::move(connect);
    options.name = "frond";
    return options;
}

TEST(Options, ConnectStringsThatWork) {
    for (const char* connect : {"a:1", "a:1,b:65535", "[::1]:2181,10.0.0.1:2181", "a:1/x", "a:1,b:2/x/y"}) {
        EXPECT_TRUE(check(options(connect))) << connect;
    }
}

TEST(Options, ConnectStringsThatCannotWork) {
    for (const char* connect : {"", "a", "a:", ":1", "a:0", "a:65536", "a:1,", ",a:1", "a:1,,b:1", "a:1x", "/x"}) {
        const auto checked = check(options(connect));
        ASSERT_FALSE(checked) << connect;
        EXPECT_EQ(checked.error().code, errc::invalid_configuration);
        EXPECT_TRUE(checked.error().detail.starts_with("zookeeper.connect is ")) << checked.error().detail;
    }
}

TEST(Options, CredentialsNeedBothParts) {
    auto wrong = options("a:1");
    for (const char* auth : {"", "secret", ":secret"}) {
        wrong.auth = auth;
        const auto checked = check(wrong);
        ASSERT_FALSE(checked) << auth;
        EXPECT_EQ(checked.error().detail, "zookeeper.auth_file must hold user:password");
    }
    wrong.auth = "user:";
    EXPECT_TRUE(check(wrong));
}

TEST(Options, TimeOut) {
    auto wrong = options("a:1");
    wrong.session_timeout = std::chrono::milliseconds(0);
    EXPECT_FALSE(check(wrong));
}

TEST(Options, DescriptionNamesTheRegistryAndNoSecret) {
    auto known = options("a:1,b:2/x/");
    known.auth = "user:secret";
    EXPECT_EQ(describe(known, "/snowflake/frond"), "zookeeper:a:1,b:2/x/snowflake/frond");
}

}  // namespace
}  // namespace frond::zookeeper
