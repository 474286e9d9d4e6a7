// Keeps a worker ID that is leased from a registry: carries out what a LeaseMachine asks for, on two threads of its
// own.
#pragma once

#include "worker/keeper.hpp"
#include "worker/lease_machine.hpp"
#include "worker/lease_slot.hpp"
#include "worker/registry.hpp"
#include "worker/state_file.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace frond::worker {

// One thread for each lane, so that a registry that hangs does not stop the watermark, nor a disk the heartbeats; the
// machine itself is behind a mutex that nobody holds during I/O.
class LeaseKeeper final : public Keeper {
public:
    // `file` may be null: no state file. `options.registry` is filled in. All references outlive the keeper.
    LeaseKeeper(LeaseOptions options, WorkerRegistry& registry, StateFile* file, LeaseSlot& slot,
                KeeperMetrics& metrics);
    // Waits for calls under way, however long, and releases nothing: release() first.
    ~LeaseKeeper() override;

    // Never fails: what can be wrong with a registry may be mended while the process lives.
    Result<void> start(std::function<Moment()> now, std::function<void()> changed) override;
    std::chrono::milliseconds step(const Moment& moment) override;
    [[nodiscard]] bool issuing() const noexcept override { return issuing_.load(std::memory_order_acquire); }
    [[nodiscard]] bool settled() const noexcept override { return settled_.load(std::memory_order_acquire); }
    std::optional<RegistryClock> take_reference() override;
    bool release(std::chrono::milliseconds patience) override;

private:
    using Lock = std::unique_lock<std::mutex>;

    [[nodiscard]] StateAccess read_state_file();
    void run_registry_lane();
    void run_file_lane();
    // Waits until the machine may have something to do, or something has happened.
    void wait(Lock& lock, const Moment& moment);
    // Tells everybody what the machine came to. With the lock.
    void show();
    void end_lane() noexcept;

    LeaseOptions options_;
    std::chrono::milliseconds observe_interval_;
    WorkerRegistry& registry_;
    StateFile* const file_;
    LeaseSlot& slot_;
    KeeperMetrics& metrics_;

    std::function<Moment()> now_;
    std::function<void()> changed_;
    std::atomic<bool> issuing_{false};
    std::atomic<bool> settled_{false};

    std::mutex mutex_;
    std::condition_variable wake_;
    std::optional<LeaseMachine> machine_;  // once the state file has been read
    bool ending_ = false;
    int lanes_ = 0;  // threads that have not come to their end
    std::thread file_lane_;
    std::thread registry_lane_;
};

}  // namespace frond::worker
