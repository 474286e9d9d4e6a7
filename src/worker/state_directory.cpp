#include "worker/state_directory.hpp"

#include "worker/descriptor.hpp"
#include "worker/machine.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <mutex>

namespace frond::worker {
namespace {

// Makes what is missing of the path, readable by its owner alone. 0 or an errno value.
int make_directories(const std::filesystem::path& path) {
    std::filesystem::path made;
    for (const auto& part : path) {
        made /= part;
        if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST) {
            // A parent may be unreadable or on a read-only file system and yet have the next part.
            struct stat found {};
            const int error = errno;
            if (::stat(made.c_str(), &found) != 0) return error;
        }
    }
    return 0;
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

std::filesystem::path absolute_of(const std::filesystem::path& path) {
    std::error_code error;
    auto absolute = std::filesystem::absolute(path, error);
    return error ? path : absolute.lexically_normal();
}

}  // namespace

bool Holder::proves_death_of(const Holder& earlier) const noexcept {
    return *this == earlier && local && !boot_id.empty() && inode != 0 && birth_ns != 0;
}

struct StateDirectory::State {
    mutable std::mutex mutex;
    LockState lock = LockState::impossible;
    std::string trouble;
    Descriptor directory;
    Descriptor file;
    Holder holder;

    LockState fail(LockState state, std::string sentence) {
        lock = state;
        trouble = std::move(sentence);
        return state;
    }
    LockState cannot(const char* verb, const std::filesystem::path& what, int error) {
        return fail(LockState::impossible,
                    std::string("cannot ") + verb + " " + what.string() + ": " + error_text(error));
    }
    LockState try_lock(const std::filesystem::path& path);
    LockState lock_file_in(Descriptor opened, const std::filesystem::path& path);
};

LockState StateDirectory::State::try_lock(const std::filesystem::path& path) {
    if (const int error = make_directories(path); error != 0) return cannot("make the state directory", path, error);
    Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.valid()) return cannot("open the state directory", path, errno);
    return lock_file_in(std::move(opened), path);
}

LockState StateDirectory::State::lock_file_in(Descriptor opened, const std::filesystem::path& path) {
    const auto name = path / lock_name;
    Descriptor taken(::openat(opened.get(), lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!taken.valid()) return cannot("open", name, errno);
    while (::flock(taken.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return cannot("lock", name, errno);
        return fail(LockState::elsewhere, "another process holds " + name.string());
    }

    struct stat locked {};
    struct stat named {};
    if (::fstat(taken.get(), &locked) != 0) return cannot("examine", name, errno);
    if (::fstatat(opened.get(), lock_name, &named, AT_SYMLINK_NOFOLLOW) != 0) return cannot("examine", name, errno);
    // Somebody replaced the file between opening and locking it.
    if (!same_file(locked, named)) return cannot("lock", name, ESTALE);

    holder = Holder{kernel_boot_id(), locked.st_dev, locked.st_ino, birth_time_ns(taken.get()),
                    on_local_file_system(taken.get())};
    directory = std::move(opened);
    file = std::move(taken);
    return fail(LockState::ours, {});
}

StateDirectory::StateDirectory(const std::filesystem::path& path)
    : path_(absolute_of(path)), state_(std::make_unique<State>()) {
    lock();
}

StateDirectory::~StateDirectory() = default;

LockState StateDirectory::lock() {
    const std::lock_guard guard(state_->mutex);
    if (state_->lock == LockState::ours) return LockState::ours;
    return state_->try_lock(path_);
}

LockState StateDirectory::state() const {
    const std::lock_guard guard(state_->mutex);
    return state_->lock;
}

std::string StateDirectory::trouble() const {
    const std::lock_guard guard(state_->mutex);
    return state_->trouble;
}

Holder StateDirectory::holder() const {
    const std::lock_guard guard(state_->mutex);
    return state_->holder;
}

int StateDirectory::descriptor() const {
    const std::lock_guard guard(state_->mutex);
    return state_->directory.get();
}

Result<void> StateDirectory::check_lock() const {
    const std::lock_guard guard(state_->mutex);
    if (state_->lock != LockState::ours) return Error(errc::store_unavailable, "the state directory is not locked");
    struct stat locked {};
    struct stat named {};
    struct stat beside {};
    const bool there = ::fstat(state_->file.get(), &locked) == 0 && ::stat((path_ / lock_name).c_str(), &named) == 0 &&
                       ::fstatat(state_->directory.get(), lock_name, &beside, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && same_file(locked, named) && same_file(locked, beside)) return {};
    return Error(errc::store_unavailable,
                 "worker.lock was deleted, replaced or moved while it was held; restart the process");
}

}  // namespace frond::worker
