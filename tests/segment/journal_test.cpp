#include "segment/journal.hpp"

#include "segment/helpers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace frond::segment {
namespace {

std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

std::string name(int i) { return fmt::format("k{}", i); }

std::unique_ptr<Journal> open(const std::filesystem::path& file, const std::string& identity = "db") {
    auto journal = Journal::open(file, identity);
    if (!journal) throw std::runtime_error(journal.error().detail);
    return std::move(journal).value();
}

TEST(Journal, KeepsTheNewestEntryOfEachKey) {
    const TempFolder folder;
    const std::vector<std::string> keys{"a", "order.pay", "with blank", " ", "订单 🧾", "1 2 3", "x/y?z=%20"};
    {
        const auto journal = open(folder.file("guard"));
        EXPECT_EQ(journal->find("a"), JournalEntry{});
        for (std::size_t i = 0; i < keys.size(); ++i) {
            EXPECT_TRUE(journal->record(keys[i], {1, 0, 0}));
            EXPECT_TRUE(journal->record(keys[i], {static_cast<std::int64_t>(i) + 1000, 2, 77}));
        }
        EXPECT_TRUE(journal->record("edge", {INT64_MAX, INT64_MAX, INT64_MIN}));
    }
    const auto journal = open(folder.file("guard"));
    EXPECT_EQ(journal->damaged(), 0U);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(journal->find(keys[i]), (JournalEntry{static_cast<std::int64_t>(i) + 1000, 2, 77})) << keys[i];
    }
    EXPECT_EQ(journal->find("edge"), (JournalEntry{INT64_MAX, INT64_MAX, INT64_MIN}));
    EXPECT_EQ(journal->find("order"), JournalEntry{});
}

TEST(Journal, TellsTheLatestUsedKeys) {
    const TempFolder folder;
    const auto journal = open(folder.file("guard"));
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(journal->record(name(i), {1, 0, i * 100}));
    EXPECT_EQ(journal->used_since(700, 10), (std::vector<std::string>{"k9", "k8", "k7"}));
    EXPECT_EQ(journal->used_since(0, 2), (std::vector<std::string>{"k9", "k8"}));
    EXPECT_TRUE(journal->used_since(901, 10).empty());
}

TEST(Journal, IgnoresALineCutShort) {
    const TempFolder folder;
    {
        const auto journal = open(folder.file("guard"));
        ASSERT_TRUE(journal->record("a", {1000, 0, 1}));
        ASSERT_TRUE(journal->record("b", {123456, 0, 1}));
    }
    const std::string whole = read(folder.file("guard"));
    const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t size = last_line; size < whole.size(); ++size) {
        write(folder.file("guard"), whole.substr(0, size));
        const auto journal = open(folder.file("guard"));
        ASSERT_EQ(journal->find("a").end, 1000);
        const std::int64_t end = journal->find("b").end;
        ASSERT_TRUE(end == 0 || end == 123456) << size;
        ASSERT_EQ(journal->damaged(), end == 0 && size > last_line ? 1U : 0U) << size;
        ASSERT_TRUE(journal->record("c", {5, 0, 1}));
        ASSERT_EQ(open(folder.file("guard"))->find("c").end, 5) << "what is written after it counts";
    }
}

TEST(Journal, ADamagedByteNeverChangesANumberSilently) {
    const TempFolder folder;
    {
        const auto journal = open(folder.file("guard"));
        ASSERT_TRUE(journal->record("a", {1000, 3, 1'700'000'000'000}));
        ASSERT_TRUE(journal->record("b", {2000, 0, 1'700'000'000'001}));
    }
    const JournalEntry a{1000, 3, 1'700'000'000'000};
    const JournalEntry b{2000, 0, 1'700'000'000'001};
    const std::string whole = read(folder.file("guard"));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char damage : {'0', '9', ' ', '\n', 'f', '\0', '\xFF'}) {
            if (whole[at] == damage) continue;
            std::string text = whole;
            text[at] = damage;
            write(folder.file("guard"), text);
            const auto journal = open(folder.file("guard"));
            const JournalEntry found_a = journal->find("a");
            const JournalEntry found_b = journal->find("b");
            ASSERT_TRUE(found_a == a || found_a == JournalEntry{}) << at;
            ASSERT_TRUE(found_b == b || found_b == JournalEntry{}) << at;
            ASSERT_TRUE((found_a == a && found_b == b) || journal->damaged() > 0) << at << ' ' << damage;
        }
    }
}

TEST(Journal, SaysNothingAboutAnotherDatabase) {
    const TempFolder folder;
    ASSERT_TRUE(open(folder.file("guard"), "mysql://one/ids")->record("a", {1000, 0, 1}));
    const auto other = open(folder.file("guard"), "mysql://two/ids");
    EXPECT_EQ(other->find("a"), JournalEntry{});
    EXPECT_EQ(other->damaged(), 0U);
    ASSERT_TRUE(other->record("a", {7, 0, 1}));
    EXPECT_EQ(open(folder.file("guard"), "mysql://two/ids")->find("a").end, 7);
}

TEST(Journal, ADamagedHeaderLosesNoGuard) {
    const TempFolder folder;
    ASSERT_TRUE(open(folder.file("guard"))->record("a", {1000, 3, 1}));
    std::string text = read(folder.file("guard"));
    text[12] ^= 1;
    write(folder.file("guard"), text);
    const auto journal = open(folder.file("guard"));
    EXPECT_EQ(journal->find("a").end, 1000);
    EXPECT_EQ(journal->damaged(), 1U);
}

TEST(Journal, EachDatabaseHasAFileOfItsOwn) {
    EXPECT_EQ(Journal::file_name("sqlite:/a.db"), Journal::file_name("sqlite:/a.db"));
    EXPECT_NE(Journal::file_name("sqlite:/a.db"), Journal::file_name("sqlite:/b.db"));
}

TEST(Journal, CannotBeOpenedWhereItCannotBeWritten) {
    const TempFolder folder;
    for (const auto& file : {folder.path() / "missing" / "guard", folder.path()}) {
        const auto journal = Journal::open(file, "db");
        ASSERT_FALSE(journal) << file;
        EXPECT_EQ(journal.error().code, errc::invalid_configuration);
        EXPECT_NE(journal.error().detail.find(file.string()), std::string::npos) << journal.error().detail;
    }
}

TEST(Journal, IsRewrittenWhenMostOfItIsOld) {
    const TempFolder folder;
    const auto journal = open(folder.file("guard"));
    std::uintmax_t largest = 0;
    for (int i = 1; i <= 10'000; ++i) {
        ASSERT_TRUE(journal->record(name(i % 10), {i, 0, i}));
        largest = std::max(largest, std::filesystem::file_size(folder.file("guard")));
    }
    EXPECT_LT(largest, 64U * 1024);
    const auto again = open(folder.file("guard"));
    for (int i = 9991; i <= 10'000; ++i) EXPECT_EQ(again->find(name(i % 10)).end, i);
    EXPECT_FALSE(std::filesystem::exists(folder.file("guard.new")));
}

TEST(Journal, ASecondOneSeesTheFirst) {
    const TempFolder folder;
    const auto first = open(folder.file("guard"));
    ASSERT_TRUE(first->record("a", {1000, 0, 1}));
    const auto second = open(folder.file("guard"));
    EXPECT_EQ(second->find("a").end, 1000);
    EXPECT_TRUE(first->record("a", {2000, 0, 1})) << "and does not disturb it";
    EXPECT_EQ(first->find("a").end, 2000);
    ASSERT_TRUE(second->record("b", {3000, 0, 1}));
    EXPECT_EQ(open(folder.file("guard"))->find("b").end, 3000);
}

// The disk fills up in the middle of a line, then has room again, while the folder allows no new file.
TEST(Journal, AFullDiskCostsOnlyTheLineThatDidNotFit) {
    const TempFolder folder;
    const auto journal = open(folder.file("guard"));
    ASSERT_TRUE(journal->record("a", {1000, 0, 1}));
    std::filesystem::create_directory(folder.file("guard.new"));  // makes rewriting fail

    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit full = before;
    full.rlim_cur = std::filesystem::file_size(folder.file("guard")) + 10;
    setrlimit(RLIMIT_FSIZE, &full);
    const bool written = journal->record("b", {2000, 0, 1});
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);

    EXPECT_FALSE(written);
    EXPECT_EQ(journal->find("b").end, 2000) << "counts in memory";
    EXPECT_TRUE(journal->record("c", {3000, 0, 1}));
    std::filesystem::remove(folder.file("guard.new"));
    const auto again = open(folder.file("guard"));
    EXPECT_EQ(again->damaged(), 1U);
    EXPECT_EQ(again->find("a").end, 1000);
    EXPECT_EQ(again->find("b").end, 0);
    EXPECT_EQ(again->find("c").end, 3000);
}

TEST(Journal, ARewriteBringsBackWhatDidNotFit) {
    const TempFolder folder;
    const auto journal = open(folder.file("guard"));
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit full = before;
    full.rlim_cur = std::filesystem::file_size(folder.file("guard")) + 10;
    setrlimit(RLIMIT_FSIZE, &full);
    const bool written = journal->record("b", {2000, 0, 1});
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, ignored);

    EXPECT_FALSE(written);
    EXPECT_TRUE(journal->record("c", {3000, 0, 1}));
    const auto again = open(folder.file("guard"));
    EXPECT_EQ(again->damaged(), 0U);
    EXPECT_EQ(again->find("b").end, 2000);
    EXPECT_EQ(again->find("c").end, 3000);
}

}  // namespace
}  // namespace frond::segment
