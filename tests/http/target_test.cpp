#include "http/target.hpp"

#include <gtest/gtest.h>

namespace frond::http {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(DecodePathPart, LeavesPlainTextWhereItIs) {
    std::string scratch;
    const std::string_view text = "order.pay-1:a+b~\xE4\xB8\xAD";
    const auto decoded = decode_path_part(text, scratch);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, text);
    EXPECT_EQ(decoded->data(), text.data());
    EXPECT_EQ(scratch.capacity(), std::string().capacity());
}

TEST(DecodePathPart, DecodesEveryEscape) {
    std::string scratch = "left over";
    EXPECT_EQ(*decode_path_part("a%2Fb", scratch), "a/b");
    EXPECT_EQ(*decode_path_part("%e4%B8%aD", scratch), "\xE4\xB8\xAD");
    EXPECT_EQ(*decode_path_part("%00x%0a", scratch), "\0x\n"sv);
    EXPECT_EQ(*decode_path_part("a+b%20c", scratch), "a+b c");
    EXPECT_EQ(*decode_path_part("%2525", scratch), "%25");
    EXPECT_EQ(*decode_path_part("", scratch), "");
}

TEST(DecodePathPart, RefusesBrokenEscapes) {
    std::string scratch;
    for (const char* text : {"%", "%2", "a%", "a%4", "%zz", "%4g", "%g4", "%%41", "%-1", "% 1", "100%"}) {
        const auto decoded = decode_path_part(text, scratch);
        ASSERT_FALSE(decoded) << text;
        EXPECT_EQ(decoded.error().code, errc::bad_request);
    }
}

TEST(DecodeQueryPart, TakesPlusForASpace) {
    std::string scratch;
    EXPECT_EQ(*decode_query_part("a+b", scratch), "a b");
    EXPECT_EQ(*decode_query_part("a%2Bb+", scratch), "a+b ");
    EXPECT_FALSE(decode_query_part("a+%", scratch));
}

TEST(NextParameter, TakesThemOneByOne) {
    std::string_view query = "&a=1&&b&c==&=d&";
    EXPECT_EQ(next_parameter(query), (QueryParameter{"a", "1"}));
    EXPECT_EQ(next_parameter(query), (QueryParameter{"b", ""}));
    EXPECT_EQ(next_parameter(query), (QueryParameter{"c", "="}));
    EXPECT_EQ(next_parameter(query), (QueryParameter{"", "d"}));
    EXPECT_EQ(next_parameter(query), std::nullopt);
}

TEST(FindParameter, FindsByDecodedName) {
    std::string scratch;
    EXPECT_EQ(**find_parameter("count=5", "count", scratch), "5");
    EXPECT_EQ(**find_parameter("x=1&c%6Funt=%35&y=2", "count", scratch), "5");
    EXPECT_EQ(**find_parameter("count", "count", scratch), "");
    EXPECT_EQ(**find_parameter("format=a+b", "format", scratch), "a b");
}

TEST(FindParameter, AbsentIsNoError) {
    std::string scratch;
    for (const char* query : {"", "x=1", "Count=1", "counts=1", "x=count", "x=%zz"}) {
        const auto found = find_parameter(query, "count", scratch);
        ASSERT_TRUE(found) << query;
        EXPECT_FALSE(*found) << query;
    }
}

TEST(FindParameter, RefusesDoubledAndBrokenOnes) {
    std::string scratch;
    for (const char* query :
         {"count=1&count=1", "count=1&x=2&c%6fount=1&count", "count=%4", "c%zzunt=1", "count=1&%=2"}) {
        const auto found = find_parameter(query, "count", scratch);
        ASSERT_FALSE(found) << query;
        EXPECT_EQ(found.error().code, errc::bad_request);
    }
}

TEST(SplitTarget, TakesOriginForm) {
    EXPECT_EQ(split_target("/"), (TargetParts{"/", ""}));
    EXPECT_EQ(split_target("/a/b?c=d?e"), (TargetParts{"/a/b", "c=d?e"}));
    EXPECT_EQ(split_target("/a?"), (TargetParts{"/a", ""}));
    EXPECT_EQ(split_target("//a"), (TargetParts{"//a", ""}));
}

TEST(SplitTarget, TakesAbsoluteForm) {
    EXPECT_EQ(split_target("http://host/a?b"), (TargetParts{"/a", "b"}));
    EXPECT_EQ(split_target("HTTPS://host:80/a"), (TargetParts{"/a", ""}));
    EXPECT_EQ(split_target("http://host"), (TargetParts{"/", ""}));
    EXPECT_EQ(split_target("http://[::1]:80?b=/"), (TargetParts{"/", "b=/"}));
}

TEST(SplitTarget, RefusesOtherForms) {
    for (const char* target : {"", "*", "host:443", "a/b", "?a", "http:/a", "http://", "http:///a", "http://?a",
                               "ftp://h/a", "/a#b", "http://h/#"}) {
        EXPECT_EQ(split_target(target), std::nullopt) << target;
    }
}

}  // namespace
}  // namespace frond::http
