#include <frond/errc.hpp>
#include <frond/result.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace frond {
namespace {

TEST(Errc, EveryCodeHasItsOwnWord) {
    std::set<std::string_view> words;
    const int last = static_cast<int>(errc::internal);
    for (int code = 1; code <= last; ++code) {
        const std::string_view word = code_name(static_cast<errc>(code));
        EXPECT_FALSE(word.empty()) << code;
        EXPECT_EQ(word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string_view::npos) << word;
        words.insert(word);
    }
    EXPECT_EQ(words.size(), static_cast<std::size_t>(last));
    EXPECT_EQ(code_name(errc::key_not_found), "KEY_NOT_FOUND");
}

TEST(Result, HoldsAValueOrAnError) {
    const Result<int> seven = 7;
    ASSERT_TRUE(seven);
    EXPECT_EQ(*seven, 7);

    const Result<int> failed = Error(errc::invalid_id, "why");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, errc::invalid_id);
    EXPECT_EQ(failed.error().detail, "why");
}

TEST(Result, MovesItsValueOut) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
    const std::unique_ptr<int> value = std::move(result).value();
    EXPECT_EQ(*value, 3);
}

TEST(Result, SucceedsWithoutAValue) {
    const Result<void> done;
    EXPECT_TRUE(done);
    const Result<void> failed = errc::draining;
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, errc::draining);
}

}  // namespace
}  // namespace frond
