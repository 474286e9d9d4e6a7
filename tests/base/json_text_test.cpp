#include "base/json_text.hpp"

#include <gtest/gtest.h>

namespace frond {
namespace {

std::string json(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

TEST(JsonString, EscapesWhatJsonMustNotHold) {
    EXPECT_EQ(json(""), R"("")");
    EXPECT_EQ(json("plain"), R"("plain")");
    EXPECT_EQ(json("say \"no\" \\ yes"), R"("say \"no\" \\ yes")");
    EXPECT_EQ(json("a\nb\rc\td"), R"("a\nb\rc\td")");
    EXPECT_EQ(json(std::string_view("\0\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
}

TEST(JsonString, KeepsUtf8) { EXPECT_EQ(json("订单 é 😀"), "\"订单 é 😀\""); }

TEST(JsonString, ReplacesBytesThatAreNoUtf8) {
    EXPECT_EQ(json("a\xff"
                   "b"),
              R"("a\ufffdb")");
    EXPECT_EQ(json("\xe8\xae"), R"("\ufffd\ufffd")");
}

TEST(Utf8Length, KnowsEveryWidth) {
    EXPECT_EQ(utf8_length("a"), 1u);
    EXPECT_EQ(utf8_length("\x7f"), 1u);
    EXPECT_EQ(utf8_length("\xc2\x80"), 2u);
    EXPECT_EQ(utf8_length("\xe0\xa0\x80"), 3u);
    EXPECT_EQ(utf8_length("\xed\x9f\xbf"), 3u);
    EXPECT_EQ(utf8_length("\xf0\x90\x80\x80"), 4u);
    EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4u);
}

TEST(Utf8Length, RefusesWhatIsNoCharacter) {
    for (const char* text : {"", "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf",
                             "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe4\xbd"}) {
        EXPECT_EQ(utf8_length(text), 0u);
    }
}

}  // namespace
}  // namespace frond
