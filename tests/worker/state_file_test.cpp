#include "worker/state_file.hpp"

#include "worker/child_process.hpp"
#include "worker/temp_directory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace frond::worker {
namespace {

using test::in_unprivileged_child;
using test::TempDirectory;

WorkerState example(std::int64_t watermark) {
    WorkerState state;
    state.name = "frond";
    state.registry = "static";
    state.worker_id = 7;
    state.owner = "00112233445566778899aabbccddeeff";
    state.watermark = watermark;
    return state;
}

class StateFileTest : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path json() const { return temp_.path() / "worker.json"; }

    TempDirectory temp_;
    StateDirectory directory_{temp_.path()};
    JsonStateFile file_{directory_};
};

TEST_F(StateFileTest, FindsNothingAtFirst) {
    ASSERT_TRUE(file_.lock());
    auto loaded = file_.load();
    ASSERT_TRUE(loaded);
    EXPECT_FALSE(loaded->state);
    EXPECT_EQ(loaded->damage, "");
}

TEST_F(StateFileTest, LoadsWhatWasStored) {
    for (const Sync sync : {Sync::yes, Sync::no}) {
        const WorkerState state = example(sync == Sync::yes ? 1 : 2);
        ASSERT_TRUE(file_.store(state, sync));
        auto loaded = file_.load();
        ASSERT_TRUE(loaded);
        EXPECT_EQ(loaded->state, state);
    }
    EXPECT_FALSE(std::filesystem::exists(temp_.path() / "worker.json.tmp"));
    struct stat found {};
    ASSERT_EQ(::stat(json().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(StateFileTest, IgnoresDamageAtEveryPosition) {
    ASSERT_TRUE(file_.store(example(5), Sync::no));
    const std::string text = test::read_text(json());
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ 0x20);
        test::write_text(json(), changed);
        auto loaded = file_.load();
        ASSERT_TRUE(loaded);
        EXPECT_FALSE(loaded->state) << "byte " << at;
        EXPECT_NE(loaded->damage, "") << "byte " << at;
    }
    test::write_text(json(), "");
    EXPECT_NE(file_.load()->damage, "") << "an empty file is damaged, not absent";
    test::write_text(json(), text);
    EXPECT_TRUE(file_.load()->state);
}

TEST_F(StateFileTest, ALeftoverOfACrashIsOverwritten) {
    ASSERT_TRUE(file_.store(example(5), Sync::yes));
    test::write_text(temp_.path() / "worker.json.tmp", std::string(5000, 'x'));
    EXPECT_EQ(file_.load()->state, example(5)) << "a temporary file says nothing";
    ASSERT_TRUE(file_.store(example(6), Sync::yes));
    EXPECT_EQ(file_.load()->state, example(6));
}

TEST_F(StateFileTest, AFullDiskIsAnErrorAndKeepsTheOldState) {
    ASSERT_TRUE(file_.store(example(5), Sync::yes));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit full = before;
    full.rlim_cur = 100;  // bytes: the write is cut short, then refused, as on a full disk
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
    const auto stored = file_.store(example(6), Sync::yes);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ::signal(SIGXFSZ, handler);

    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, errc::store_unavailable);
    EXPECT_EQ(stored.error().detail.find(temp_.path().string()), std::string::npos) << "no path for clients";
    EXPECT_EQ(file_.load()->state, example(5));
    EXPECT_FALSE(std::filesystem::exists(temp_.path() / "worker.json.tmp"));
    ASSERT_TRUE(file_.store(example(6), Sync::yes)) << "and it heals";
    EXPECT_EQ(file_.load()->state, example(6));
}

TEST_F(StateFileTest, AReadOnlyFolderIsAnErrorToWrite) {
    ASSERT_TRUE(file_.store(example(5), Sync::yes));
    ASSERT_EQ(::chmod(temp_.path().c_str(), 0555), 0);
    ASSERT_EQ(::chmod(json().c_str(), 0444), 0);
    EXPECT_TRUE(in_unprivileged_child([this] {
        auto loaded = file_.load();
        const auto stored = file_.store(example(6), Sync::yes);
        return loaded && loaded->state == example(5) && !stored && stored.error().code == errc::store_unavailable;
    }));
}

TEST_F(StateFileTest, AFileThatCannotBeReadIsNotTakenForNone) {
    std::filesystem::create_directory(json());
    auto loaded = file_.load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, errc::store_unavailable);
}

TEST_F(StateFileTest, WritesNothingOnceItsLockIsGone) {
    ASSERT_TRUE(file_.store(example(5), Sync::yes));
    std::filesystem::remove(temp_.path() / "worker.lock");
    EXPECT_FALSE(file_.store(example(6), Sync::yes));
    EXPECT_EQ(file_.load()->state, example(5));
}

TEST_F(StateFileTest, LockTellsTheOtherProcessFromTheBrokenFolder) {
    StateDirectory second(temp_.path());
    JsonStateFile other(second);
    EXPECT_EQ(other.lock().error().code, errc::invalid_configuration);
    EXPECT_FALSE(other.store(example(6), Sync::no));

    test::write_text(temp_.path() / "plain", "");
    StateDirectory broken(temp_.path() / "plain");
    EXPECT_EQ(JsonStateFile(broken).lock().error().code, errc::store_unavailable);
}

}  // namespace
}  // namespace frond::worker
