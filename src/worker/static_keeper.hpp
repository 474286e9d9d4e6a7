// Keeps a worker ID that the operator chose (`snowflake.registry = "static"`). There is no registry: the operator owns
// uniqueness between machines, and the state file alone protects against this machine's clock.
#pragma once

#include "base/clock.hpp"
#include "worker/keeper.hpp"
#include "worker/lease_slot.hpp"
#include "worker/start_rule.hpp"
#include "worker/state_file.hpp"
#include "worker/trouble_log.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace frond::worker {

// A state machine over a StateFile, without threads or clocks of its own. Used by one thread; the slot is what others
// see. Phases: opening (lock, read), waiting (until the clock allows), holding (move the watermark), stopped.
class StaticKeeper final : public Keeper {
public:
    struct Options {
        std::string name = "frond";
        StartRule rule;
        std::int64_t worker_id = 0;  // 0 to the layout's maximum
    };

    // `file` may be null: no state file. All references outlive the keeper.
    StaticKeeper(Options options, StateFile* file, LeaseSlot& slot, KeeperMetrics& metrics);

    // Takes the lock before anything else. errc::invalid_configuration, saying what to do, when the worker ID is
    // outside its field, and while another process holds the lock: with a worker ID chosen by hand that process may be
    // using the same one. Every other trouble is left to step(), which tries again.
    Result<void> start(std::function<Moment()> now, std::function<void()> changed) override;

    // Does what is due now and says after how long to come back. Blocks as long as the state file does.
    std::chrono::milliseconds step(const Moment& moment) override;

    [[nodiscard]] bool issuing() const noexcept override {
        return phase_.load(std::memory_order_acquire) == Phase::holding;
    }
    [[nodiscard]] bool settled() const noexcept override { return settled_.load(std::memory_order_acquire); }

    // Stops issuing for good, and then marks the state file released, at the last timestamp used. Somebody else may
    // have closed the lease before. Waits for the state file, however long.
    bool release(std::chrono::milliseconds patience) override;

private:
    enum class Phase : std::uint8_t { opening, waiting, holding, stopped };

    std::chrono::milliseconds step_phase(const Moment& moment);
    std::chrono::milliseconds open(const Moment& moment);
    Result<void> read_file(const Moment& moment);
    void take_over(const LoadedState& loaded, const Moment& moment);
    std::chrono::milliseconds wait(const Moment& moment);
    std::chrono::milliseconds begin(const Moment& moment);
    std::chrono::milliseconds hold(const Moment& moment);

    [[nodiscard]] Claim claim() const;
    Result<void> store();
    std::optional<Error> move_watermark(const Moment& moment);
    std::chrono::milliseconds not_yet(const std::string& kind, Error why);

    const Options options_;
    StateFile* const file_;
    LeaseSlot& slot_;
    KeeperMetrics& metrics_;
    TroubleLog log_;

    std::atomic<Phase> phase_{Phase::opening};
    std::atomic<bool> settled_{false};
    std::chrono::milliseconds retry_;
    SteadyTime not_before_{};            // no lease until then, as nothing is known about earlier ones
    std::optional<std::int64_t> floor_;  // what the state file forbids
    WorkerState state_;                  // what was stored last, or is about to be
    std::int64_t committed_ms_ = 0;      // the watermark that is certainly on disk
};

}  // namespace frond::worker
