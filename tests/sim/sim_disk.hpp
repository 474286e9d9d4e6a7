// The state directory of one machine, as a disk without fsync keeps it.
#pragma once

#include "sim/event_queue.hpp"
#include "sim/prng.hpp"
#include "worker/worker_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace frond::sim {

// The file is replaced as a whole; what was not yet written back is lost in a power failure. The lock file is known by
// boot, inode and birth. Used by one thread.
class SimDisk {
public:
    SimDisk(int machine, bool exists) : exists_(exists), machine_(machine) { new_lock_file(); }

    // Whether the instance has a state directory at all.
    [[nodiscard]] bool exists() const noexcept { return exists_; }
    [[nodiscard]] const worker::Holder& holder() const noexcept { return holder_; }
    [[nodiscard]] const std::optional<worker::WorkerState>& content() const noexcept { return versions_.back(); }

    void replace(const worker::WorkerState& state, Random& random) {
        if (random.chance(30)) versions_.erase(versions_.begin(), versions_.end() - 1);
        versions_.emplace_back(state);
    }

    // The machine starts anew: one of the versions since the last write-back is there, or a file that is damaged.
    void lose_power(Random& random) {
        auto kept = versions_[random.next() % versions_.size()];
        if (random.chance(10)) kept.reset();
        versions_.assign(1, std::move(kept));
        ++boot_;
        holder_.boot_id = boot_id();
    }

    // An empty directory, or a copy of another one: the lock file is a new one either way.
    void replace_directory(std::optional<worker::WorkerState> content) {
        versions_.assign(1, std::move(content));
        new_lock_file();
    }

    // Until then writes fail, or do not come to an end.
    Time fails_until = 0;
    Time hangs_until = 0;

private:
    void new_lock_file() {
        ++inode_;
        holder_ = {boot_id(), static_cast<std::uint64_t>(machine_) + 1, inode_, static_cast<std::int64_t>(inode_),
                   true};
    }
    [[nodiscard]] std::string boot_id() const { return fmt::format("m{}b{}", machine_, boot_); }

    const bool exists_;
    const int machine_;
    int boot_ = 0;
    std::uint64_t inode_ = 0;
    worker::Holder holder_;
    std::vector<std::optional<worker::WorkerState>> versions_{std::nullopt};  // written back, …, present
};

}  // namespace frond::sim
