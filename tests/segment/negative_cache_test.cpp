#include "segment/negative_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace frond::segment {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime start{seconds(1000)};

TEST(NegativeCache, RemembersForItsTime) {
    NegativeCache cache(seconds(1), 10);
    EXPECT_FALSE(cache.contains("a", start));
    cache.add("a", start);
    EXPECT_TRUE(cache.contains("a", start));
    EXPECT_TRUE(cache.contains("a", start + milliseconds(999)));
    EXPECT_FALSE(cache.contains("a", start + seconds(1)));
    EXPECT_FALSE(cache.contains("b", start));
    cache.add("a", start + milliseconds(500));
    EXPECT_TRUE(cache.contains("a", start + milliseconds(1400))) << "renewed";
}

TEST(NegativeCache, HoldsAtMostItsCapacity) {
    NegativeCache cache(seconds(1), 100);
    const auto name = [](int i) { return "key " + std::to_string(i); };
    for (int i = 0; i < 1000; ++i) cache.add(name(i), start);
    int held = 0;
    for (int i = 0; i < 1000; ++i) held += cache.contains(name(i), start) ? 1 : 0;
    EXPECT_LE(held, 100);
    EXPECT_TRUE(cache.contains(name(999), start));
}

}  // namespace
}  // namespace frond::segment
