#include "api/batch.hpp"

#include "api/reply_text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace frond::api {
namespace {

errc refusal(std::string_view query) {
    const auto batch = parse_batch(query, 1000);
    return batch ? errc{} : batch.error().code;
}

std::string body_of(Format format, std::string_view key, const std::vector<segment::Run>& runs) {
    ReplyText text;
    send_batch(text.reply, format, key, runs);
    EXPECT_TRUE(text.has_header("Cache-Control: no-store"));
    return text.body();
}

TEST(ParseBatch, NothingAskedMeansOneBareId) {
    for (const auto query : {"", "other=1", "&&", "Count=5"}) {
        const auto batch = parse_batch(query, 1000);
        ASSERT_TRUE(batch) << query;
        EXPECT_TRUE(batch->single) << query;
        EXPECT_EQ(batch->count, 1U) << query;
    }
}

TEST(ParseBatch, CountAndFormat) {
    const auto batch = parse_batch("count=1000&format=ranges", 1000);
    ASSERT_TRUE(batch);
    EXPECT_FALSE(batch->single);
    EXPECT_EQ(batch->count, 1000U);
    EXPECT_EQ(batch->format, Format::ranges);
}

TEST(ParseBatch, FormatWithoutCountIsOneId) {
    const auto batch = parse_batch("format=json", 1000);
    ASSERT_TRUE(batch);
    EXPECT_FALSE(batch->single);
    EXPECT_EQ(batch->count, 1U);
}

TEST(ParseBatch, EscapedWordsAreRead) {
    const auto batch = parse_batch("%63ount=1%30&form%61t=%6Ason", 1000);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->count, 10U);
    EXPECT_EQ(batch->format, Format::json);
}

TEST(ParseBatch, BadCountsAreRefused) {
    for (const auto query : {"count=0", "count=-1", "count=", "count", "count=1001", "count=1e3", "count=1.5",
                             "count=99999999999999999999", "count=%31x", "count=+1", "count=0x10", "count= 1"}) {
        EXPECT_EQ(refusal(query), errc::invalid_count) << query;
    }
}

TEST(ParseBatch, BadFormatsAndDoubledParametersAreRefused) {
    EXPECT_EQ(refusal("format=xml"), errc::invalid_format);
    EXPECT_EQ(refusal("format="), errc::invalid_format);
    EXPECT_EQ(refusal("count=1&count=1"), errc::bad_request);
    EXPECT_EQ(refusal("format=json&format=json"), errc::bad_request);
    EXPECT_EQ(refusal("count=%zz"), errc::bad_request);
}

TEST(SendBatch, TextIsALineForEachId) {
    EXPECT_EQ(body_of(Format::text, "k", {{.first = 9, .count = 2, .delta = 1}, {.first = 21, .count = 2, .delta = 3}}),
              "9\n10\n21\n24\n");
}

TEST(SendBatch, JsonCarriesStrings) {
    EXPECT_EQ(
        body_of(Format::json, "a\"b", {{.first = 1, .count = 2, .delta = 1}, {.first = 7, .count = 1, .delta = 1}}),
        "{\"key\":\"a\\\"b\",\"ids\":[\"1\",\"2\",\"7\"]}\n");
}

TEST(SendBatch, RangesAreInclusive) {
    EXPECT_EQ(body_of(Format::ranges, "k", {{.first = 1, .count = 1000, .delta = 1}}),
              "{\"key\":\"k\",\"ranges\":[{\"first\":\"1\",\"last\":\"1000\",\"delta\":\"1\"}]}\n");
    EXPECT_EQ(
        body_of(Format::ranges, "k", {{.first = 5, .count = 2, .delta = 4}, {.first = 20, .count = 1, .delta = 4}}),
        "{\"key\":\"k\",\"ranges\":[{\"first\":\"5\",\"last\":\"9\",\"delta\":\"4\"},"
        "{\"first\":\"20\",\"last\":\"20\",\"delta\":\"4\"}]}\n");
}

TEST(SendSingle, BareDigits) {
    ReplyText text;
    send_single(text.reply, INT64_MAX);
    EXPECT_EQ(text.body(), "9223372036854775807");
    EXPECT_TRUE(text.has_header("Cache-Control: no-store"));
}

}  // namespace
}  // namespace frond::api
