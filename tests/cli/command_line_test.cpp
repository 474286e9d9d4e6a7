#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(CommandLine, ShowsHelp) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"help"}, {"--help"}, {"-h"}}) {
        const std::string text = good(arguments);
        for (const char* word : {"serve", "init", "check-config", "key", "worker", "decode", "health", "version",
                                 "Exit codes", "2 cannot start as configured", "64 wrong usage"}) {
            EXPECT_THAT(text, HasSubstr(word));
        }
    }
}

TEST_F(CommandLine, ShowsHelpOfACommand) {
    const std::string text = good({"help", "key", "create"});
    EXPECT_THAT(text, HasSubstr("--max-step"));
    EXPECT_EQ(text, good({"key", "create", "--help"}));
    EXPECT_THAT(good({"serve", "-h"}), HasSubstr("--config"));
    const Outcome unknown = frond({"help", "nonsense"});
    EXPECT_EQ(unknown.code, 64);
    EXPECT_THAT(unknown.err, HasSubstr("nonsense"));
}

TEST_F(CommandLine, AnswersWrongUsageWith64) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"nonsense"},
                                               {"--nonsense"},
                                               {"serve", "--nonsense"},
                                               {"serve", "extra"},
                                               {"init", "--schema", "other"},
                                               {"key"},
                                               {"key", "nonsense"},
                                               {"key", "create"},
                                               {"key", "create", "a", "b"},
                                               {"key", "create", "a", "--step"},
                                               {"key", "create", "a", "--step", "x"},
                                               {"key", "set", "a"},
                                               {"key", "raise", "--by", "1"},
                                               {"key", "raise", "a", "--all", "--by", "1"},
                                               {"key", "raise", "a"},
                                               {"key", "raise", "a", "--by", "0"},
                                               {"key", "list", "--limit", "0"},
                                               {"worker"},
                                               {"worker", "show"},
                                               {"worker", "show", "x"},
                                               {"worker", "show", "-1"},
                                               {"worker", "list", "1"},
                                               {"worker", "raise"},
                                               {"worker", "raise", "--to", "soon"},
                                               {"worker", "raise", "--to", "-1"},
                                               {"worker", "raise", "--by", "15"},
                                               {"worker", "raise", "--force"},
                                               {"decode"},
                                               {"decode", "abc"},
                                               {"health", "--url", "https://x/"},
                                               {"health", "--timeout", "soon"}}) {
        const Outcome outcome = frond(arguments);
        EXPECT_EQ(outcome.code, 64) << testing::PrintToString(arguments) << outcome.out << outcome.err;
        EXPECT_NE(outcome.err, "") << testing::PrintToString(arguments);
        EXPECT_EQ(outcome.out, "") << testing::PrintToString(arguments);
    }
}

TEST_F(CommandLine, ShowsVersions) {
    const std::string text = good({"version"});
    EXPECT_EQ(text.rfind("frond 0.", 0), 0u) << text;
    for (const char* word : {"g++", "Boost 1.", "SOCI 4.", "fmt 9.", "spdlog 1.", "toml++ 3.", "CLI11 2."}) {
        EXPECT_THAT(text, HasSubstr(word));
    }
}

TEST_F(CommandLine, ChecksTheConfiguration) {
    EXPECT_THAT(good({"check-config"}), HasSubstr("good"));
    write("frond.toml", "[server]\nthreads = -1\nlisen = 1\n");
    const Outcome outcome = frond({"check-config", "--config", "frond.toml", "--set", "log.level=loud"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("frond: frond.toml:2: server.threads: found -1"));
    EXPECT_THAT(outcome.err, HasSubstr("frond: frond.toml:3: unknown key server.lisen; did you mean server.listen?"));
    EXPECT_THAT(outcome.err, HasSubstr("frond: --set: log.level: found \"loud\""));
}

TEST_F(CommandLine, ShowsHowLeafsFileWasTranslated) {
    write("leaf.properties", "leaf.segment.enable=false\nleaf.snowflake.enable=false\n");
    EXPECT_THAT(good({"check-config", "--config", "leaf.properties"}),
                HasSubstr("leaf.properties:1 (leaf.segment.enable): segment.enabled = false"));
}

TEST_F(CommandLine, RefusesAWrongConfigurationInEveryCommand) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"serve"},
                                                                                         {"init"},
                                                                                         {"key", "list"},
                                                                                         {"key", "show", "x"},
                                                                                         {"worker", "list"},
                                                                                         {"decode", "1"},
                                                                                         {"health"}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), {"--set", "server.threads=x"});
        const Outcome outcome = frond(arguments);
        EXPECT_EQ(outcome.code, 2) << command.front();
        EXPECT_THAT(outcome.err, HasSubstr("--set: server.threads"));
    }
}

TEST_F(CommandLine, ReadsTheEnvironment) {
    setenv("FROND__SERVER__THREDS", "1", 1);
    const Outcome outcome = frond({"check-config"});
    unsetenv("FROND__SERVER__THREDS");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("did you mean FROND__SERVER__THREADS?"));
}

TEST_F(CommandLine, TakesRepeatedSetsWithoutSwallowingArguments) {
    EXPECT_EQ(frond({"decode", "--set", "snowflake.worker_bits=5", "--set", "snowflake.sequence_bits=5", "7"}).code, 0);
    EXPECT_THAT(good({"check-config", "--set", "server.listen=[::1]:80"}), HasSubstr("good"));
}

TEST_F(CommandLine, InitSaysWhatItDid) {
    const std::string first = good({"init"});
    EXPECT_THAT(first, HasSubstr("leaf_alloc"));
    EXPECT_THAT(first, HasSubstr("frond_key"));
    EXPECT_TRUE(std::filesystem::exists("frond.db"));
    EXPECT_NE(good({"init", "--schema", "leaf"}), first);
}

TEST_F(CommandLine, InitRefusesTinyidForNow) {
    const Outcome outcome = frond({"init", "--schema", "tinyid"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("tinyid is not supported by this release"));
    EXPECT_FALSE(std::filesystem::exists("frond.db"));
}

TEST_F(CommandLine, DecodesWithTheConfiguredLayout) {
    // 2019-09-06T01:35:00.834Z, worker 39, sequence 3448.
    const std::string id = std::to_string((1567733700834 - 1288834974657) << 22 | 39 << 12 | 3448);
    const std::string text = good({"decode", id});
    for (const char* word : {"2019-09-06T01:35:00.834Z", "1567733700834", "39", "3448"})
        EXPECT_THAT(text, HasSubstr(word));
    EXPECT_EQ(good({"decode", id, "--json"}), "{\"id\":\"" + id +
                                                  "\",\"timestamp_ms\":1567733700834,\"time\":\"2019-09-06T01:35:00."
                                                  "834Z\",\"worker_id\":39,\"sequence\":3448}\n");
    EXPECT_THAT(good({"decode", "4096", "--set", "snowflake.epoch=1970-01-01", "--set", "snowflake.worker_bits=0"}),
                HasSubstr("1970-01-01T00:00:00.001Z"));
}

TEST_F(CommandLine, RefusesWhatIsNoId) {
    for (const char* text : {"abc", "-1", "9223372036854775808", "", "1 ", "0x1"}) {
        const Outcome outcome = frond({"decode", "--", text});
        EXPECT_EQ(outcome.code, 64) << text;
        EXPECT_EQ(outcome.err.rfind("frond: ", 0), 0u) << outcome.err;
    }
}

}  // namespace
}  // namespace frond::cli
