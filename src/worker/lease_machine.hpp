// The lease of a worker ID as a state machine: event in, action out, time as an argument. No I/O, no thread, no clock;
// LeaseKeeper carries its actions out, and the simulator in tests/sim does so in a world that misbehaves.
//
// Two lanes run beside each other: calls of the registry, and writes of the state file. Each has at most one action
// under way, so that a registry that hangs does not stop the watermark, nor the reverse.
//
// Why no ID comes twice (numbers of the invariants in brackets):
//  - IDs are issued only up to a fence that a confirmed write has put into the record [2], and up to the watermark in
//    the state file if there is one [5]; the next owner starts above the fence that it found.
//  - Every write is a compare-and-set. Heartbeats and the release use the version that the last confirmed write of this
//    lease returned [1]: whoever wrote in between makes them fail.
//  - A write without an answer is not done for issuing, and maybe done for everything else [4]: the record is read
//    again, and only a `write` that is one of ours counts.
//  - A fence is only lowered in a release, after the issuer was closed for good and the state file says so [3, 5].
#pragma once

#include "worker/issuer.hpp"
#include "worker/keeper.hpp"
#include "worker/lease_choice.hpp"
#include "worker/registry_call.hpp"
#include "worker/start_rule.hpp"
#include "worker/trouble_log.hpp"
#include "worker/worker_state.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace frond::worker {

struct LeaseOptions {
    std::string name = "frond";
    LeaseSpace space;
    std::string registry;  // WorkerRegistry::describe()
    std::string identity;
    std::string ip;
    std::string port;
    std::chrono::milliseconds max_ahead{1'000};
    std::chrono::milliseconds max_clock_skew{10'000};
    std::chrono::milliseconds heartbeat{3'000};
    std::chrono::milliseconds fence_window{900'000};
    std::function<std::string()> new_id;  // random IDs; random_id() in the server
};

// What the state directory gave at start.
struct StateAccess {
    bool usable = false;               // the lock was got, and the file can be written
    std::optional<WorkerState> found;  // what an earlier process left
    Holder holder;                     // of the lock; all empty without it
};

// Used by one thread at a time. `issuer` and `metrics` outlive it.
class LeaseMachine {
public:
    LeaseMachine(LeaseOptions options, StateAccess access, Issuer& issuer, KeeperMetrics& metrics);

    // The registry call to carry out now, if one is due and none is under way. Its reply must be given back.
    [[nodiscard]] std::optional<RegistryCall> next_call(const Moment& moment);
    void call_done(const Moment& moment, RegistryReply reply);

    // The state to store now, if one is due and no store is under way.
    [[nodiscard]] std::optional<WorkerState> next_store(const Moment& moment);
    void store_done(const Moment& moment, const Result<void>& stored);

    // What only the passing of time brings: a watermark or a fence that has passed. To be called at least every
    // max_ahead / 3, and before next_…().
    void observe(const Moment& moment);

    // The time at which next_call() or next_store() may have something to do, if nothing else happens before.
    [[nodiscard]] SteadyTime wake_at() const noexcept;

    // Stops issuing for good. The lanes then bring the release to its end.
    void begin_release(const Moment& moment);
    // Nothing is left to be done, after begin_release().
    [[nodiscard]] bool released() const noexcept;

    // A lease is held, though maybe not yet used for IDs.
    [[nodiscard]] bool holding() const noexcept;
    // IDs are being issued.
    [[nodiscard]] bool issuing() const noexcept;
    // The first attempt has come to an end: a lease, or a trouble.
    [[nodiscard]] bool settled() const noexcept;
    // The last reading of the registry's clock, once.
    [[nodiscard]] std::optional<RegistryClock> take_reference();
};

}  // namespace frond::worker
