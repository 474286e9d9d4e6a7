#include "api/decode_endpoints.hpp"

#include "api/reply_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace frond::api {
namespace {

// The ID that Leaf's documentation decodes.
constexpr const char* known_id = "1169778034284486008";

class DecodeTest : public testing::Test {
protected:
    // `tail` of the path or, where the path has none, the query.
    std::string ask(Endpoint& endpoint, const std::string& path, const std::string& tail, const std::string& query) {
        text_ = ReplyText();
        text_.reply.out = &text_.out;
        http::Request request;
        request.path = path;
        request.query = query;
        EXPECT_TRUE(endpoint.try_answer({request, tail}, text_.reply));
        return text_.body();
    }

    const SnowflakeLayout layout_;
    DecodeEndpoint decode_{layout_};
    BoundsEndpoint bounds_{layout_};
    LeafDecodeEndpoint leaf_{layout_};
    ReplyText text_;
};

TEST_F(DecodeTest, DecodesAnId) {
    const auto id = layout_.encode({.timestamp_ms = 1567733700834, .worker_id = 39, .sequence = 3448});
    ASSERT_TRUE(id);
    const std::string digits = std::to_string(*id);
    EXPECT_EQ(ask(decode_, "/d", digits, ""),
              "{\"id\":\"" + digits +
                  "\",\"timestamp_ms\":1567733700834,\"time\":\"2019-09-06T01:35:00.834Z\",\"worker_id\":39,"
                  "\"sequence\":3448}\n");
    EXPECT_EQ(ask(decode_, "/d", "000" + digits, "").substr(0, 8), "{\"id\":\"" + digits.substr(0, 1));
}

TEST_F(DecodeTest, WhatIsNoIdIs400) {
    for (const auto* id :
         {"", "-1", "+1", "abc", "1a", "9223372036854775808", "99999999999999999999", "1.5", " 1", "1 "}) {
        ask(decode_, "/d", id, "");
        EXPECT_EQ(text_.reply.status, 400U) << id;
        EXPECT_NE(text_.body().find("INVALID_ID"), std::string::npos) << id;
        EXPECT_FALSE(parse_id(id)) << id;
    }
}

TEST_F(DecodeTest, LeafsShape) {
    ::setenv("TZ", "Asia/Shanghai", 1);
    ::tzset();
    const auto id = layout_.encode({.timestamp_ms = 1567733700834, .worker_id = 39, .sequence = 3448});
    ASSERT_TRUE(id);
    const std::string body = ask(leaf_, "/decodeSnowflakeId", "", "snowflakeId=" + std::to_string(*id));
    ::unsetenv("TZ");
    ::tzset();
    EXPECT_EQ(body,
              "{\"timestamp\":\"1567733700834(2019-09-06 09:35:00.834)\",\"sequenceId\":\"3448\",\"workerId\":\"39\"}");
}

TEST_F(DecodeTest, LeafsShapeRefusesNonsense) {
    ask(leaf_, "/decodeSnowflakeId", "", "");
    EXPECT_EQ(text_.reply.status, 400U);
    ask(leaf_, "/decodeSnowflakeId", "", "snowflakeId=x");
    EXPECT_EQ(text_.reply.status, 400U);
    ask(leaf_, "/decodeSnowflakeId", "", std::string("snowflakeId=") + known_id + "&snowflakeId=1");
    EXPECT_EQ(text_.reply.status, 400U);
}

TEST_F(DecodeTest, BoundsOfADayHoldItsIds) {
    const std::string body = ask(bounds_, "/b", "", "from=2024-02-29T00:00:00Z&to=2024-02-29T23:59:59.999Z");
    EXPECT_EQ(text_.reply.status, 200U);
    const auto expected = layout_.bounds(1709164800000, 1709251199999);
    ASSERT_TRUE(expected);
    EXPECT_EQ(body, "{\"first\":\"" + std::to_string(expected->first) + "\",\"last\":\"" +
                        std::to_string(expected->last) + "\"}\n");
}

TEST_F(DecodeTest, BoundsTakeAnUnescapedPlus) {
    const std::string plain = ask(bounds_, "/b", "", "from=2024-01-01T08:00:00+08:00&to=2024-01-01T08:00:00%2B08:00");
    EXPECT_EQ(text_.reply.status, 200U);
    EXPECT_EQ(plain, ask(bounds_, "/b", "", "from=2024-01-01T00:00:00Z&to=2024-01-01T00:00:00Z"));
}

TEST_F(DecodeTest, BoundsRefuseNonsense) {
    for (const auto* query :
         {"", "from=2024-01-01T00:00:00Z", "to=2024-01-01T00:00:00Z", "from=x&to=y",
          "from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z", "from=1970-01-01T00:00:00Z&to=1971-01-01T00:00:00Z",
          "from=2024-01-01T00:00:00Z&from=2024-01-01T00:00:00Z&to=2024-01-01T00:00:00Z"}) {
        ask(bounds_, "/b", "", query);
        EXPECT_EQ(text_.reply.status, 400U) << query;
        EXPECT_NE(text_.body().find("BAD_REQUEST"), std::string::npos) << query;
    }
}

}  // namespace
}  // namespace frond::api
