#include "segment/range.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace frond::segment {
namespace {

TEST(RunOf, PlainRange) {
    EXPECT_EQ(*run_of({1, 1001, 1, 0}, "k"), (segment::Run{1, 1000, 1}));
    EXPECT_EQ(*run_of({0, 1, 1, 0}, "k"), (segment::Run{0, 1, 1}));
    EXPECT_EQ(run_of({1, 1001, 1, 0}, "k")->last(), 1000);
}

TEST(RunOf, LargeNumbersStayExact) {
    for (const std::int64_t edge : {std::int64_t{1} << 31, std::int64_t{1} << 53, INT64_MAX - 1000}) {
        const auto run = run_of({edge - 500, edge + 500, 1, 0}, "k");
        ASSERT_TRUE(run);
        EXPECT_EQ(*run, (segment::Run{edge - 500, 1000, 1}));
        EXPECT_EQ(run->last(), edge + 499);
    }
    EXPECT_EQ(*run_of({0, INT64_MAX, 1, 0}, "k"), (segment::Run{0, INT64_MAX, 1}));
    EXPECT_EQ(*run_of({INT64_MAX - 1, INT64_MAX, 1, 0}, "k"), (segment::Run{INT64_MAX - 1, 1, 1}));
}

TEST(RunOf, HugeDeltaDoesNotOverflow) {
    const std::int64_t delta = INT64_MAX;
    EXPECT_EQ(*run_of({0, INT64_MAX, delta, delta - 1}, "k"), (segment::Run{delta - 1, 1, delta}));
    EXPECT_EQ(*run_of({5, INT64_MAX, delta, 5}, "k"), (segment::Run{5, 1, delta}));
    EXPECT_FALSE(run_of({6, INT64_MAX, delta, 5}, "k"));
}

// Every small range, against counting one by one.
TEST(RunOf, AgreesWithCounting) {
    for (std::int64_t delta = 1; delta <= 6; ++delta) {
        for (std::int64_t remainder = 0; remainder < delta; ++remainder) {
            for (std::int64_t first = 0; first < 14; ++first) {
                for (std::int64_t end = first + 1; end < 30; ++end) {
                    segment::Run expected{0, 0, delta};
                    for (std::int64_t id = end - 1; id >= first; --id) {
                        if (id % delta == remainder) expected = {id, expected.count + 1, delta};
                    }
                    const auto run = run_of({first, end, delta, remainder}, "k");
                    ASSERT_EQ(run.has_value(), expected.count > 0) << first << ' ' << end << ' ' << delta;
                    ASSERT_TRUE(!run || *run == expected);
                }
            }
        }
    }
}

TEST(RunOf, RefusesWhatMakesNoRangeAndNamesKeyColumnAndValue) {
    const struct {
        Range range;
        const char* column;
        const char* value;
    } cases[] = {
        {{1, 1001, 0, 0}, "delta", "0"},
        {{1, 1001, -3, 0}, "delta", "-3"},
        {{1, 1001, 4, 4}, "remainder", "4"},
        {{1, 1001, 4, -1}, "remainder", "-1"},
        {{-1, 1000, 1, 0}, "max_id", "-1"},
        {{INT64_MIN, 1000, 1, 0}, "max_id", "-9223372036854775808"},
        {{1000, 1000, 1, 0}, "step", ""},
        {{1000, 999, 1, 0}, "step", ""},
        {{1000, INT64_MIN, 1, 0}, "step", ""},
        {{1, 8, 10, 0}, "step", "0 modulo delta (10)"},
        {{1, 1001, INT64_MIN, 0}, "delta", "-9223372036854775808"},
    };
    for (const auto& [range, column, value] : cases) {
        const auto run = run_of(range, "order.pay");
        ASSERT_FALSE(run) << range.first << ' ' << range.last_exclusive << ' ' << range.delta;
        EXPECT_EQ(run.error().code, errc::key_misconfigured);
        for (const char* word : {"order.pay", column, value}) {
            EXPECT_NE(run.error().detail.find(word), std::string::npos) << run.error().detail;
        }
    }
}

}  // namespace
}  // namespace frond::segment
