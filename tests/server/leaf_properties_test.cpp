#include "server/leaf_properties.hpp"

#include <gtest/gtest.h>

namespace frond::server {
namespace {

std::string parsed(std::string_view text) {
    std::string out;
    for (const Property& property : parse_properties(text)) {
        out += std::to_string(property.line) + "[" + property.key + "]=[" + property.value + "] ";
    }
    return out;
}

TEST(Properties, TakesAllSeparators) {
    EXPECT_EQ(parsed("a=1\nb:2\nc 3\nd = 4\ne\t:\t5\nf\n"), "1[a]=[1] 2[b]=[2] 3[c]=[3] 4[d]=[4] 5[e]=[5] 6[f]=[] ");
}

TEST(Properties, KeepsSeparatorsAndBlanksInsideAValue) {
    EXPECT_EQ(parsed("url=jdbc:mysql://h/d?a=b&c=d \n"), "1[url]=[jdbc:mysql://h/d?a=b&c=d ] ");
    EXPECT_EQ(parsed("a==1"), "1[a]=[=1] ");
}

TEST(Properties, SkipsCommentsAndEmptyLines) { EXPECT_EQ(parsed("# a=1\n! b=2\n\n  \t\n  c=3"), "5[c]=[3] "); }

TEST(Properties, JoinsContinuedLines) {
    EXPECT_EQ(parsed("a=1\\\n   2\\\n# 3\nb=4"), "1[a]=[12# 3] 4[b]=[4] ");
    EXPECT_EQ(parsed("a=1\\\\\nb=2"), "1[a]=[1\\] 2[b]=[2] ");
    EXPECT_EQ(parsed("a=1\\"), "1[a]=[1] ");
}

TEST(Properties, ReadsWindowsLines) { EXPECT_EQ(parsed("a=1\r\nb=2\r\n"), "1[a]=[1] 2[b]=[2] "); }

TEST(Properties, ReadsEscapes) {
    EXPECT_EQ(parsed("a\\=b\\:c\\ d=1"), "1[a=b:c d]=[1] ");
    EXPECT_EQ(parsed("a=\\t\\q\\u0041\\u00e9\\u8ba2\\u00g0"), "1[a]=[\tqA\u00e9\u8ba2u00g0] ");
}

TEST(JdbcUrl, TakesMySqlAndMariaDb) {
    JdbcUrl url;
    ASSERT_TRUE(parse_jdbc_url("jdbc:mysql://db.example:3307/leaf?useSSL=false&a=b", url));
    EXPECT_EQ(url.host, "db.example");
    EXPECT_EQ(url.port, "3307");
    EXPECT_EQ(url.database, "leaf");
    EXPECT_EQ(url.parameters, "useSSL=false&a=b");
    ASSERT_TRUE(parse_jdbc_url("jdbc:mariadb://127.0.0.1/leaf", url));
    EXPECT_EQ(url.port, "3306");
    EXPECT_EQ(url.parameters, "");
    ASSERT_TRUE(parse_jdbc_url("jdbc:mysql://[::1]:3306/leaf", url));
    EXPECT_EQ(url.host, "[::1]");
}

TEST(JdbcUrl, RefusesEverythingElse) {
    JdbcUrl url;
    for (const char* text :
         {"", "mysql://h/d", "jdbc:postgresql://h/d", "jdbc:mysql://h", "jdbc:mysql://h:3306", "jdbc:mysql:///d",
          "jdbc:mysql://h/", "jdbc:mysql://h:0/d", "jdbc:mysql://h:x/d", "jdbc:mysql://h:99999/d",
          "jdbc:mysql://a:1,b:2/d", "jdbc:mysql://a,b/d", "jdbc:mysql://u@h/d", "jdbc:mysql://h/d/e",
          "jdbc:mysql://(host=a)/d", "jdbc:mysql:loadbalance://h/d"}) {
        EXPECT_FALSE(parse_jdbc_url(text, url)) << text;
    }
}

TEST(PercentEncoded, LeavesOnlyPlainCharacters) {
    EXPECT_EQ(percent_encoded("leaf_user-1.x~"), "leaf_user-1.x~");
    EXPECT_EQ(percent_encoded("a@b:c/d%"), "a%40b%3Ac%2Fd%25");
    EXPECT_EQ(percent_encoded("é"), "%C3%A9");
}

}  // namespace
}  // namespace frond::server
