#include "worker/state_directory.hpp"

#include "worker/child_process.hpp"
#include "worker/temp_directory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace frond::worker {
namespace {

using test::in_child;
using test::in_unprivileged_child;
using test::TempDirectory;

TEST(StateDirectory, MakesAPrivateFolderAndLocksIt) {
    TempDirectory temp;
    const auto path = temp.path() / "a" / "b";
    StateDirectory directory(path);
    ASSERT_EQ(directory.state(), LockState::ours) << directory.trouble();
    EXPECT_TRUE(directory.locked());
    EXPECT_EQ(directory.trouble(), "");
    EXPECT_EQ(directory.path(), path);
    EXPECT_GE(directory.descriptor(), 0);
    EXPECT_TRUE(directory.check_lock());
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0700U);
}

TEST(StateDirectory, KnowsWhoHoldsIt) {
    TempDirectory temp;
    Holder first;
    {
        const StateDirectory directory(temp.path());
        first = directory.holder();
    }
    struct stat found {};
    ASSERT_EQ(::stat((temp.path() / "worker.lock").c_str(), &found), 0) << "the lock file must stay";
    EXPECT_EQ(first.inode, found.st_ino);
    EXPECT_EQ(first.device, found.st_dev);
    EXPECT_EQ(first.boot_id.size(), 36U);
    const StateDirectory again(temp.path());
    EXPECT_EQ(again.holder(), first) << "the same file in the same boot";
}

TEST(StateDirectory, ACopyIsAnotherHolder) {
    TempDirectory temp;
    const StateDirectory original(temp.path() / "original");
    std::filesystem::copy(temp.path() / "original", temp.path() / "copy");
    const StateDirectory copy(temp.path() / "copy");
    ASSERT_TRUE(copy.locked());
    EXPECT_FALSE(copy.holder().proves_death_of(original.holder()));
}

TEST(StateDirectory, IsHeldOnceInAProcess) {
    TempDirectory temp;
    const StateDirectory first(temp.path());
    StateDirectory second(temp.path());
    EXPECT_EQ(second.state(), LockState::elsewhere);
    EXPECT_NE(second.trouble().find("another process"), std::string::npos);
    EXPECT_EQ(second.holder(), Holder{});
    EXPECT_EQ(second.descriptor(), -1);
    EXPECT_FALSE(second.check_lock());
}

TEST(StateDirectory, TwoProcessesContend) {
    TempDirectory temp;
    int ready[2];
    int finish[2];
    ASSERT_EQ(::pipe(ready), 0);
    ASSERT_EQ(::pipe(finish), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const StateDirectory directory(temp.path());
        char byte = directory.locked() ? 'y' : 'n';
        if (::write(ready[1], &byte, 1) != 1) ::_exit(2);
        ::_exit(::read(finish[0], &byte, 1) == 1 ? 0 : 3);
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'y');
    StateDirectory directory(temp.path());
    EXPECT_EQ(directory.state(), LockState::elsewhere);

    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(directory.lock(), LockState::ours) << "the lock dies with its process";
    EXPECT_FALSE(in_child([&temp] { return StateDirectory(temp.path()).locked(); }));
    for (const int fd : {ready[0], ready[1], finish[0], finish[1]}) ::close(fd);
}

TEST(StateDirectory, AReadOnlyParentIsImpossible) {
    TempDirectory temp;
    ASSERT_EQ(::chmod(temp.path().c_str(), 0555), 0);
    EXPECT_TRUE(in_unprivileged_child([&temp] {
        const StateDirectory directory(temp.path());
        return directory.state() == LockState::impossible &&
               directory.trouble().find("Permission denied") != std::string::npos;
    }));
    EXPECT_TRUE(in_unprivileged_child([&temp] {
        const StateDirectory directory(temp.path() / "below");
        return directory.state() == LockState::impossible;
    }));
}

TEST(StateDirectory, AFileInTheWayIsImpossible) {
    TempDirectory temp;
    test::write_text(temp.path() / "state", "not a folder");
    StateDirectory directory(temp.path() / "state");
    EXPECT_EQ(directory.state(), LockState::impossible);
    EXPECT_NE(directory.trouble(), "");
    std::filesystem::remove(temp.path() / "state");
    EXPECT_EQ(directory.lock(), LockState::ours) << "may be tried again";
    EXPECT_EQ(directory.trouble(), "");
}

TEST(StateDirectory, NoticesThatItsLockWasDeletedReplacedOrMoved) {
    TempDirectory temp;
    {
        const StateDirectory directory(temp.path() / "deleted");
        std::filesystem::remove(temp.path() / "deleted" / "worker.lock");
        EXPECT_FALSE(directory.check_lock());
        const StateDirectory other(temp.path() / "deleted");
        EXPECT_TRUE(other.locked());
        EXPECT_FALSE(directory.check_lock());
        EXPECT_TRUE(other.check_lock());
    }
    {
        const StateDirectory directory(temp.path() / "moved");
        std::filesystem::rename(temp.path() / "moved", temp.path() / "away");
        EXPECT_FALSE(directory.check_lock());
    }
}

}  // namespace
}  // namespace frond::worker
