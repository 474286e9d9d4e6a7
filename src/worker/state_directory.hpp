// The state directory: files that an instance keeps on its own disk, and the lock that says that no other process uses
// them. Rooms put their own files beside `worker.lock` while locked() is true.
#pragma once

#include <frond/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace frond::worker {

// Which kernel boot and which file hold the lock. An equal holder, seen by whoever holds the lock now, proves that the
// process which wrote it down is dead: a copied folder, disk or machine, and a reboot, all differ in some part.
struct Holder {
    std::string boot_id;        // of the kernel; empty when it is not known
    std::uint64_t device = 0;   // of the lock file
    std::uint64_t inode = 0;    // of the lock file
    std::int64_t birth_ns = 0;  // of the lock file, ns since the Unix epoch; 0 when the file system keeps none
    bool local = false;         // the file system is of a kind known to be on this machine

    // Same boot and same file, both fully known, on a local file system.
    [[nodiscard]] bool proves_death_of(const Holder& earlier) const noexcept;

    bool operator==(const Holder&) const = default;
};

enum class LockState {
    ours,        // held until this object is destroyed
    elsewhere,   // another process, or another object of this one, holds it
    impossible,  // the directory or the lock file cannot be made or opened: trouble() says why
};

// Owns the directory and the lock. `worker.lock` is locked with flock for the life of the object, and never replaced or
// deleted: a lock on a file that is renamed over protects nothing. Thread-safe. The lock survives neither the process
// nor exec; a child made by fork shares it.
class StateDirectory {
public:
    static constexpr const char* lock_name = "worker.lock";

    // Tries once to make the directory (mode 0700, parents too) and to take the lock; see lock().
    explicit StateDirectory(const std::filesystem::path& path);
    ~StateDirectory();
    StateDirectory(const StateDirectory&) = delete;
    StateDirectory& operator=(const StateDirectory&) = delete;

    // Tries again unless the lock is ours. Blocks as long as the file system does.
    LockState lock();

    [[nodiscard]] LockState state() const;
    [[nodiscard]] bool locked() const { return state() == LockState::ours; }
    // Why the last lock() did not succeed, as a sentence that names the path; empty when it did.
    [[nodiscard]] std::string trouble() const;

    // Absolute path.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    // All empty until the lock was got.
    [[nodiscard]] Holder holder() const;

    // Asks the file system whether the path still leads to the locked file. Somebody who deleted or replaced it, or the
    // whole directory, has let another process lock a file of its own: nothing may be written then. Errors:
    // store_unavailable, without a path.
    [[nodiscard]] Result<void> check_lock() const;

    // A descriptor of the directory, for …at() calls, so that its files stay beside the lock whatever happens to the
    // path; -1 until the lock was got. Valid for the life of the object.
    [[nodiscard]] int descriptor() const;

private:
    struct State;

    const std::filesystem::path path_;
    std::unique_ptr<State> state_;
};

}  // namespace frond::worker
