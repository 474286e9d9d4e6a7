#include "base/key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace frond {
namespace {

std::string repeat(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(Key, TakesWhatKeysLookLike) {
    for (const std::string key : {"a", "order", "order.pay", "a/b", "100%", " order ", "bestellung-ä", "订单", "🚀🚀"}) {
        EXPECT_TRUE(validate_key(key)) << key;
    }
}

TEST(Key, CountsCodePointsNotBytes) {
    EXPECT_TRUE(validate_key(repeat("a", 128)));
    EXPECT_TRUE(validate_key(repeat("🚀", 128)));
    for (const std::string& key : {std::string(), repeat("a", 129), repeat("🚀", 129)}) {
        const auto result = validate_key(key);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, errc::invalid_key);
        EXPECT_NE(result.error().detail.find("1 to 128"), std::string::npos);
    }
}

TEST(Key, RefusesControlCharacters) {
    for (const std::string& key : {std::string("a\nb"), std::string("a\0b", 3), std::string("\x7F"),
                                   std::string("\xC2\x80"), std::string("\xC2\x9F"), std::string("\x1F")}) {
        const auto result = validate_key(key);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, errc::invalid_key);
    }
    EXPECT_TRUE(validate_key("\xC2\xA0"));
}

TEST(Key, RefusesWhatIsNotUtf8) {
    for (const std::string key : {"\xFF", "a\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                  "\xF5\x80\x80\x80", "\x80", "\xE2\x28\xA1", "\xF0\x80\x80\xAF"}) {
        EXPECT_FALSE(validate_key(key)) << key;
        EXPECT_FALSE(count_characters(key)) << key;
    }
    EXPECT_TRUE(validate_key("\xED\x9F\xBF"));
    EXPECT_TRUE(validate_key("\xEE\x80\x80"));
    EXPECT_TRUE(validate_key("\xF4\x8F\xBF\xBF"));
}

TEST(Key, CountsCharacters) {
    EXPECT_EQ(count_characters(""), 0u);
    EXPECT_EQ(count_characters("aé🚀"), 3u);
}

}  // namespace
}  // namespace frond
