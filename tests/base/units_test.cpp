#include "base/units.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace frond {
namespace {

using std::chrono::milliseconds;

TEST(ParseDuration, TakesEveryUnit) {
    EXPECT_EQ(*parse_duration("0s"), milliseconds(0));
    EXPECT_EQ(*parse_duration("250ms"), milliseconds(250));
    EXPECT_EQ(*parse_duration("5s"), milliseconds(5000));
    EXPECT_EQ(*parse_duration("15m"), milliseconds(900'000));
    EXPECT_EQ(*parse_duration("2h"), milliseconds(7'200'000));
    EXPECT_EQ(*parse_duration("1d"), milliseconds(86'400'000));
}

TEST(ParseDuration, RefusesEverythingElse) {
    for (const char* text :
         {"", "5", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5s", "5S", "5sec", "1m30s", "0x5s", "5µs"}) {
        const auto parsed = parse_duration(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, errc::invalid_configuration);
        EXPECT_NE(parsed.error().detail.find(text), std::string::npos);
    }
}

TEST(ParseDuration, RefusesOverflow) {
    EXPECT_EQ(parse_duration("9223372036854775807ms")->count(), INT64_MAX);
    EXPECT_FALSE(parse_duration("9223372036854775808ms"));
    EXPECT_FALSE(parse_duration("9223372036854775807s"));
    EXPECT_EQ(parse_duration("106751991167d")->count(), 106751991167 * 86'400'000);
    EXPECT_FALSE(parse_duration("106751991168d"));
}

TEST(ParseSize, TakesEveryUnit) {
    EXPECT_EQ(*parse_size("0"), 0);
    EXPECT_EQ(*parse_size("123"), 123);
    EXPECT_EQ(*parse_size("5B"), 5);
    EXPECT_EQ(*parse_size("8KiB"), 8192);
    EXPECT_EQ(*parse_size("1MiB"), 1048576);
    EXPECT_EQ(*parse_size("2GiB"), 2147483648);
}

TEST(ParseSize, RefusesEverythingElse) {
    for (const char* text :
         {"", "KiB", "-1", "8K", "8kib", "8KB", "8 KiB", "1.5KiB", "9223372036854775808", "9007199254740992KiB"}) {
        const auto parsed = parse_size(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, errc::invalid_configuration);
    }
}

TEST(FormatDuration, IsTheShortestExactForm) {
    EXPECT_EQ(format_duration(milliseconds(0)), "0s");
    EXPECT_EQ(format_duration(milliseconds(1)), "1ms");
    EXPECT_EQ(format_duration(milliseconds(1500)), "1500ms");
    EXPECT_EQ(format_duration(milliseconds(90'000)), "90s");
    EXPECT_EQ(format_duration(milliseconds(60'000)), "1m");
    EXPECT_EQ(format_duration(milliseconds(5'400'000)), "90m");
    EXPECT_EQ(format_duration(milliseconds(129'600'000)), "36h");
    EXPECT_EQ(format_duration(milliseconds(172'800'000)), "2d");
}

TEST(FormatDuration, IsReadBack) {
    for (const std::int64_t ms : {0L, 1L, 999L, 1000L, 61'000L, 3'600'000L, 86'400'001L, INT64_MAX}) {
        EXPECT_EQ(parse_duration(format_duration(milliseconds(ms)))->count(), ms);
    }
}

TEST(FormatRfc3339, ShowsMilliseconds) {
    EXPECT_EQ(format_rfc3339(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_rfc3339(1567733700834), "2019-09-06T01:35:00.834Z");
    EXPECT_EQ(format_rfc3339(1288834974657), "2010-11-04T01:42:54.657Z");
    EXPECT_EQ(format_rfc3339(-1), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(format_rfc3339(951782400000), "2000-02-29T00:00:00.000Z");
}

TEST(FormatRfc3339, ClampsToFourDigitYears) {
    EXPECT_EQ(format_rfc3339(INT64_MAX), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(format_rfc3339(INT64_MIN), "0000-01-01T00:00:00.000Z");
}

TEST(ParseRfc3339, TakesTimesInAnyOffset) {
    EXPECT_EQ(*parse_rfc3339("2019-09-06T01:35:00.834Z"), 1567733700834);
    EXPECT_EQ(*parse_rfc3339("2019-09-06t01:35:00.834z"), 1567733700834);
    EXPECT_EQ(*parse_rfc3339("2019-09-06 09:35:00.834+08:00"), 1567733700834);
    EXPECT_EQ(*parse_rfc3339("2019-09-05T20:05:00.834-05:30"), 1567733700834);
    EXPECT_EQ(*parse_rfc3339("1970-01-01T00:00:00-00:00"), 0);
    EXPECT_EQ(*parse_rfc3339("1970-01-01T23:59:59+23:59"), 59'000);
}

TEST(ParseRfc3339, TakesADateAsMidnightUtc) {
    EXPECT_EQ(*parse_rfc3339("1970-01-02"), 86'400'000);
    EXPECT_EQ(*parse_rfc3339("2000-02-29"), 951782400000);
}

TEST(ParseRfc3339, CutsTheFractionToMilliseconds) {
    EXPECT_EQ(*parse_rfc3339("1970-01-01T00:00:00.1Z"), 100);
    EXPECT_EQ(*parse_rfc3339("1970-01-01T00:00:00.01Z"), 10);
    EXPECT_EQ(*parse_rfc3339("1970-01-01T00:00:00.123999999999Z"), 123);
}

TEST(ParseRfc3339, KnowsLeapYearsAndLeapSeconds) {
    EXPECT_TRUE(parse_rfc3339("2024-02-29"));
    EXPECT_FALSE(parse_rfc3339("2023-02-29"));
    EXPECT_FALSE(parse_rfc3339("1900-02-29"));
    EXPECT_EQ(*parse_rfc3339("2016-12-31T23:59:60Z"), *parse_rfc3339("2017-01-01T00:00:00Z"));
    EXPECT_EQ(*parse_rfc3339("2017-01-01T08:59:60+09:00"), *parse_rfc3339("2017-01-01T00:00:00Z"));
    EXPECT_FALSE(parse_rfc3339("2016-12-31T23:58:60Z"));
}

TEST(ParseRfc3339, RefusesEverythingElse) {
    for (const char* text : {"",
                             "now",
                             "2019",
                             "2019-09",
                             "2019-9-6",
                             "2019-13-01",
                             "2019-00-01",
                             "2019-04-31",
                             "2019-01-00",
                             "2019-09-06T",
                             "2019-09-06T01:35Z",
                             "2019-09-06T01:35:00",
                             "2019-09-06T24:00:00Z",
                             "2019-09-06T01:60:00Z",
                             "2019-09-06T01:35:61Z",
                             "2019-09-06T01:35:00.Z",
                             "2019-09-06T01:35:00+0800",
                             "2019-09-06T01:35:00+24:00",
                             "2019-09-06T01:35:00+08:60",
                             "2019-09-06T01:35:00ZZ",
                             " 2019-09-06",
                             "2019-09-06Z",
                             "-2019-09-06",
                             "12019-09-06",
                             "1567733700834"}) {
        const auto parsed = parse_rfc3339(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, errc::bad_request);
    }
}

TEST(ParseRfc3339, ReadsBackWhatIsFormatted) {
    for (std::int64_t ms = -62'167'219'200'000; ms < 253'402'300'800'000; ms += 86'399'123'457) {
        ASSERT_EQ(*parse_rfc3339(format_rfc3339(ms)), ms);
    }
}

}  // namespace
}  // namespace frond
