#include "worker/lease_record.hpp"

#include <gtest/gtest.h>

namespace frond::worker {
namespace {

LeaseRecord sample() {
    return {"00112233445566778899aabbccddeeff",
            "ffeeddccbbaa99887766554433221100",
            "pod-7 \"ä\"",
            "10.1.2.3",
            "8080",
            1'567'733'700'834,
            1'567'734'600'834,
            LeaseState::released,
            *make_space({}, 3, 40)};
}

TEST(LeaseRecordTest, RoundTrips) {
    const LeaseRecord record = sample();
    const auto parsed = parse_record(format_record(record));
    ASSERT_TRUE(parsed) << parsed.error().detail;
    EXPECT_EQ(*parsed, record);
}

// Leaf parses its own nodes only, but people and scripts read these three of any.
TEST(LeaseRecordTest, BeginsWithLeafsFields) {
    EXPECT_TRUE(format_record(sample()).starts_with(R"({"ip":"10.1.2.3","port":"8080","timestamp":1567733700834,)"));
}

TEST(LeaseRecordTest, RefusesWhatItDidNotWrite) {
    for (const char* text : {"", "{}", "[]", "null", R"({"ip":"10.1.2.3","port":"8080","timestamp":1567733700834})",
                             R"({"version":2})", "\xff\xfe"}) {
        EXPECT_FALSE(parse_record(text)) << text;
    }
    const std::string good = format_record(sample());
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return parse_record(text);
    };
    EXPECT_FALSE(with("\"released\"", "\"lost\""));
    EXPECT_FALSE(with("1567734600834", "1.5"));
    EXPECT_FALSE(with("1567734600834", "9223372036854775807")) << "no time";
    EXPECT_FALSE(with("\"worker_id_limit\":40", "\"worker_id_limit\":0"));
    EXPECT_FALSE(with("\"worker_id_limit\":40", "\"worker_id_limit\":4000"));
    EXPECT_FALSE(with("\"version\":1", "\"version\":2"));
    EXPECT_NE(with("\"version\":1", "\"version\":2").error().detail.find("version 2"), std::string::npos);
}

TEST(LeaseRecordTest, NamesRoundTrip) {
    NameRecord name{"0123", *make_space({}, 0, 0), "4294967302", INT64_MIN};
    EXPECT_EQ(*parse_name(format_name(name)), name);
    name.floor = 1'700'000'000'000;
    EXPECT_EQ(*parse_name(format_name(name)), name);
    EXPECT_FALSE(parse_name("{}"));
}

TEST(LeaseSpaceTest, KnowsItsBounds) {
    const auto all = make_space({}, 0, 0);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->limit, 1024);
    EXPECT_TRUE(all->holds(0));
    EXPECT_TRUE(all->holds(1023));
    EXPECT_FALSE(all->holds(1024));
    EXPECT_FALSE(all->holds(-1));
    const auto half = make_space({}, 512, 0);
    EXPECT_EQ(half->limit, 512);
    EXPECT_EQ(half->worker_id(5), 517);
    EXPECT_FALSE(make_space({}, 1024, 0));
    EXPECT_FALSE(make_space({}, -1, 0));
    EXPECT_FALSE(make_space({}, 512, 513));
    EXPECT_FALSE(make_space({}, 0, -1));
    EXPECT_NE(make_space({}, 512, 513).error().detail.find("snowflake.worker_id_limit"), std::string::npos);
}

}  // namespace
}  // namespace frond::worker
