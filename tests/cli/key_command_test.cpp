#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// An empty SQLite file in the current folder.
class KeyCommand : public CommandLine {
protected:
    KeyCommand() { good({"init"}); }

    // What a command writes to standard output itself, past `out`: log lines.
    template <class Action>
    static std::string logged(Action action) {
        testing::internal::CaptureStdout();
        action();
        return testing::internal::GetCapturedStdout();
    }
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST_F(KeyCommand, CreatesWithDefaults) {
    EXPECT_THAT(good({"key", "create", "demo"}), HasSubstr("demo"));
    const std::string json = good({"key", "show", "demo", "--json"});
    EXPECT_THAT(json, HasSubstr(R"("key":"demo")"));
    EXPECT_THAT(json, HasSubstr(R"("max_id":"1")"));
    EXPECT_THAT(json, HasSubstr(R"("step":1000,"delta":1,"remainder":0,"max_step":1000000)"));
    EXPECT_THAT(json, HasSubstr(R"("disabled":false)"));
}

TEST_F(KeyCommand, CreatesWithEverySetting) {
    good({"key", "create", "订单", "--step", "500", "--max-id", "7001", "--delta", "4", "--remainder", "3",
          "--max-step", "9000", "--description", "say \"hi\""});
    const std::string json = good({"key", "show", "订单", "--json"});
    EXPECT_THAT(json, HasSubstr(R"("key":"订单","max_id":"7001","step":500,"delta":4,"remainder":3,"max_step":9000)"));
    EXPECT_THAT(json, HasSubstr(R"("description":"say \"hi\"")"));
    const std::string text = good({"key", "show", "订单"});
    for (const char* word : {"订单", "7001", "500", "4", "3", "9000", "say \"hi\""}) EXPECT_THAT(text, HasSubstr(word));
}

TEST_F(KeyCommand, WarnsOfDelta) {
    EXPECT_THAT(good({"key", "create", "two", "--delta", "2"}), HasSubstr("Leaf server"));
    good({"key", "create", "one"});
    EXPECT_THAT(good({"key", "set", "one", "--delta", "2"}), HasSubstr("Leaf server"));
    EXPECT_THAT(good({"key", "set", "one", "--delta", "1"}), Not(HasSubstr("Leaf server")));
}

TEST_F(KeyCommand, TellsExistingAndMissingKeys) {
    good({"key", "create", "order"});
    const Outcome again = frond({"key", "create", "order"});
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.err, HasSubstr("order"));
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"show", "nope"}, {"set", "nope", "--step", "5"}, {"accept", "nope"}, {"raise", "nope", "--by", "5"}}) {
        std::vector<std::string> command{"key"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        const Outcome outcome = frond(command);
        EXPECT_EQ(outcome.code, 1) << arguments.front();
        EXPECT_THAT(outcome.err, HasSubstr("nope"));
        EXPECT_EQ(outcome.out, "");
    }
}

TEST_F(KeyCommand, RefusesImpossibleNamesBeforeItLooksForADatabase) {
    for (const std::string& key : {std::string(), std::string(129, 'k'), std::string("a\nb"), std::string("\xff")}) {
        for (const char* action : {"create", "show"}) {
            const Outcome outcome = frond({"key", action, key, "--database", "sqlite:/none/at/all"});
            EXPECT_EQ(outcome.code, 64) << key;
            EXPECT_NE(outcome.err, "");
        }
    }
}

TEST_F(KeyCommand, RefusesImpossibleSettings) {
    for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
             {"--step", "0"}, {"--delta", "0"}, {"--delta", "2", "--remainder", "2"}, {"--max-step", "0"}}) {
        std::vector<std::string> command{"key", "create", "bad"};
        command.insert(command.end(), settings.begin(), settings.end());
        const Outcome outcome = frond(command);
        EXPECT_EQ(outcome.code, 1) << settings.front();
        EXPECT_NE(outcome.err, "");
    }
    EXPECT_EQ(frond({"key", "show", "bad"}).code, 1);
}

TEST_F(KeyCommand, ChangesOnlyWhatIsNamed) {
    good({"key", "create", "order", "--step", "500", "--description", "kept"});
    const std::string changed = good({"key", "set", "order", "--step", "700", "--json"});
    EXPECT_THAT(changed, HasSubstr(R"("step":700)"));
    EXPECT_THAT(changed, HasSubstr(R"("description":"kept")"));
    EXPECT_EQ(good({"key", "show", "order", "--json"}), changed);
}

TEST_F(KeyCommand, DisablesAndEnables) {
    good({"key", "create", "order"});
    EXPECT_THAT(good({"key", "set", "order", "--disabled", "true", "--json"}), HasSubstr(R"("disabled":true)"));
    EXPECT_THAT(good({"key", "list"}), HasSubstr("(disabled)"));
    EXPECT_THAT(good({"key", "set", "order", "--disabled", "false", "--json"}), HasSubstr(R"("disabled":false)"));
    EXPECT_EQ(frond({"key", "set", "order", "--disabled", "perhaps"}).code, 64);
}

TEST_F(KeyCommand, ListsPageByPage) {
    for (const char* key : {"a1", "a2", "a3", "b1"}) good({"key", "create", key});
    const std::vector<std::string> all = lines_of(good({"key", "list"}));
    ASSERT_EQ(all.size(), 5u);
    EXPECT_THAT(all[0], MatchesRegex("key +max_id +step.*"));
    EXPECT_THAT(all[1], MatchesRegex("a1 +1 +1000.*"));
    EXPECT_THAT(all[4], MatchesRegex("b1 .*"));
    EXPECT_EQ(lines_of(good({"key", "list", "--prefix", "a"})).size(), 4u);
    EXPECT_EQ(lines_of(good({"key", "list", "--after", "a2"})).size(), 3u);

    const std::string page = good({"key", "list", "--limit", "2", "--json"});
    EXPECT_THAT(page, HasSubstr(R"({"keys":[{"key":"a1")"));
    EXPECT_THAT(page, HasSubstr(R"("next":"a2"})"));
    EXPECT_THAT(page, Not(HasSubstr("a3")));
    EXPECT_THAT(good({"key", "list", "--after", "a2", "--limit", "2", "--json"}), Not(HasSubstr("next")));
    EXPECT_EQ(good({"key", "list", "--prefix", "c", "--json"}), "{\"keys\":[]}\n");
    EXPECT_EQ(good({"key", "list", "--prefix", "c"}), "no keys\n");
}

TEST_F(KeyCommand, SaysWhereToGoOnAfterALimit) {
    for (const char* key : {"a1", "a2", "a3"}) good({"key", "create", key});
    const Outcome outcome = frond({"key", "list", "--limit", "2"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(lines_of(outcome.out).size(), 3u);
    EXPECT_THAT(outcome.err, HasSubstr("--after a2"));
    EXPECT_EQ(frond({"key", "list", "--limit", "3"}).err, "");
}

TEST_F(KeyCommand, RaisesOneKeyOrAll) {
    good({"key", "create", "a", "--max-id", "100"});
    good({"key", "create", "b", "--max-id", "200"});
    const std::string one = logged([] { good({"key", "raise", "a", "--by", "5"}); });
    EXPECT_THAT(one, HasSubstr("raised key 'a' by 5, max_id is 105"));
    const std::string all = logged([] { good({"key", "raise", "--all", "--by", "1000"}); });
    EXPECT_THAT(all, HasSubstr("raised all 2 keys by 1000"));
    EXPECT_THAT(good({"key", "show", "a", "--json"}), HasSubstr(R"("max_id":"1105")"));
    EXPECT_THAT(good({"key", "show", "b", "--json"}), HasSubstr(R"("max_id":"1200")"));
    EXPECT_EQ(frond({"key", "raise", "a", "--by", "9223372036854775807"}).code, 1);
}

TEST_F(KeyCommand, AuditsAnAcceptance) {
    good({"key", "create", "order", "--max-id", "77"});
    const std::string line = logged([] { good({"key", "accept", "order", "--set", "log.level=off"}); });
    EXPECT_THAT(
        line,
        MatchesRegex("\\{\"ts\":\"[^\"]+Z\",\"level\":\"warning\",\"msg\":\"audit: user [^ ]+ accepted that the table "
                     "went backwards for key 'order', max_id 77\"\\}\n"));
}

TEST_F(KeyCommand, SaysWhatToDoWithoutTables) {
    const Outcome outcome = frond({"key", "list", "--database", "sqlite:other.db"});
    EXPECT_NE(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("frond init"));
}

TEST_F(KeyCommand, FailsWhenTheDatabaseIsAway) {
    const Outcome outcome = frond({"key", "list", "--database", "mysql://u:hunter2@127.0.0.1:1/none"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err, "");
    EXPECT_THAT(outcome.err, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace frond::cli
