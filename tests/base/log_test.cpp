#include "base/log.hpp"

#include "base/units.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace frond {
namespace {

// What `action` writes to standard output.
template <class Action>
std::string output_of(Action action) {
    testing::internal::CaptureStdout();
    action();
    return testing::internal::GetCapturedStdout();
}

TEST(Log, WritesOneJsonObjectALine) {
    const std::string output = output_of([] {
        ASSERT_TRUE(set_up_logging("info", LogFormat::json));
        spdlog::warn("key \"{}\" is\nodd", "a\\b");
    });
    const std::regex shape(R"re(\{"ts":"([^"]+)","level":"warning","msg":"key \\"a\\\\b\\" is\\nodd"\}\n)re");
    std::smatch match;
    ASSERT_TRUE(std::regex_match(output, match, shape)) << output;
    EXPECT_TRUE(parse_rfc3339(match[1].str()));
}

TEST(Log, WritesTextWithoutControlCharacters) {
    const std::string output = output_of([] {
        ASSERT_TRUE(set_up_logging("info", LogFormat::text));
        spdlog::info("two\nlines \x1b[31m 订单");
    });
    EXPECT_TRUE(std::regex_match(output, std::regex("\\S+Z info    two\\\\x0alines \\\\x1b\\[31m 订单\n"))) << output;
}

TEST(Log, ObeysTheLevel) {
    const std::string output = output_of([] {
        ASSERT_TRUE(set_up_logging("error", LogFormat::text));
        spdlog::warn("hidden");
        spdlog::error("seen");
        ASSERT_TRUE(set_log_level("debug"));
        spdlog::debug("also seen");
        ASSERT_TRUE(set_log_level("off"));
        spdlog::critical("hidden");
    });
    EXPECT_EQ(output.find("hidden"), std::string::npos);
    EXPECT_NE(output.find("error   seen"), std::string::npos);
    EXPECT_NE(output.find("debug   also seen"), std::string::npos);
}

TEST(Log, RefusesUnknownLevels) {
    for (const char* level : {"", "INFO", "verbose", "warn"}) {
        const auto set_up = set_up_logging(level, LogFormat::text);
        ASSERT_FALSE(set_up) << level;
        EXPECT_EQ(set_up.error().code, errc::invalid_configuration);
        EXPECT_FALSE(set_log_level(level));
    }
}

TEST(Log, KeepsLinesOfManyThreadsWhole) {
    const std::string output = output_of([] {
        ASSERT_TRUE(set_up_logging("info", LogFormat::json));
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([t] {
                for (int i = 0; i < 100; ++i) spdlog::info("thread {} line {}", t, i);
            });
        }
        for (auto& thread : threads) thread.join();
    });
    const std::regex line(R"re(\{"ts":"[^"]+","level":"info","msg":"thread \d line \d+"\}\n)re");
    const auto lines = std::distance(std::sregex_iterator(output.begin(), output.end(), line), std::sregex_iterator());
    EXPECT_EQ(lines, 400);
    EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 400);
}

}  // namespace
}  // namespace frond
