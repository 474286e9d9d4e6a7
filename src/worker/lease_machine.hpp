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
#include <map>
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
    // max_ahead / 3 and every second, and before next_…().
    void observe(const Moment& moment);

    // The time at which next_call() or next_store() may have something to do, if nothing else happens before.
    [[nodiscard]] SteadyTime wake_at() const noexcept;

    // Stops issuing for good. The lanes then bring the release to its end.
    void begin_release(const Moment& moment);
    // Nothing is left to be done, after begin_release().
    [[nodiscard]] bool released() const noexcept;

    // A lease is held, though maybe not used for IDs yet.
    [[nodiscard]] bool holding() const noexcept;
    // IDs are being issued.
    [[nodiscard]] bool issuing() const noexcept;
    // The first attempt has come to an end: a lease, or a trouble.
    [[nodiscard]] bool settled() const noexcept;
    // The last reading of the registry's clock, once.
    [[nodiscard]] std::optional<RegistryClock> take_reference();

private:
    enum class Phase : std::uint8_t {
        seeking,    // no lease; the registry is surveyed
        taking,     // candidates are tried, one after another
        resolving,  // a create or take without an answer: the record is looked at
        holding,
        releasing,
        stopped,
    };

    // A write that was sent and has not been answered, or of which nobody knows whether it was done.
    struct Write {
        std::string owner;
        std::string write;
        std::int64_t fence;
        bool release = false;
    };

    struct Lease {
        std::int64_t number = 0;
        std::int64_t floor = 0;                // nothing at or below it is issued
        std::string owner;                     // in the record, by the last confirmed write
        std::string write;                     // of the last confirmed write
        std::int64_t version = 0;              // that it returned
        std::int64_t fence = 0;                // that it committed
        std::int64_t found_fence = INT64_MIN;  // in the record when it was taken
        bool giving_back = false;              // nothing was issued and nothing will be
        std::int64_t least_fence = 0;          // what the next write may not be below: all fences seen or tried
        bool confirmed = false;  // false: issuing by the state file alone, the registry has not been reached yet
        bool resuming = false;   // not confirmed, and `version` was read: the record is still that of the file
        int conflicts = 0;       // since the last confirmed write
        bool must_read = false;  // an answer is missing or was a conflict
        std::vector<Write> unresolved;
        bool issuing = false;
        std::optional<std::int64_t> watermark;  // committed in the state file, for this lease
    };

    // Registry lane.
    [[nodiscard]] std::optional<RegistryCall> due_call(const Moment& moment);
    [[nodiscard]] RegistryCall take_call(const Moment& moment);
    [[nodiscard]] RegistryCall lease_call(const Moment& moment);
    [[nodiscard]] RegistryCall lease_write(const Moment& moment);
    [[nodiscard]] LeaseRecord record_for(const std::string& owner, std::int64_t timestamp, std::int64_t fence) const;

    void dispatch(const Moment& moment, const RegistryCall& call, const RegistryReply& reply);
    void on_survey(const Moment& moment, const Survey& survey);
    void on_survey_failed(const Moment& moment, const RegistryError& error);
    void on_take_done(const Moment& moment, std::int64_t number, std::int64_t version);
    void on_take_failed(const Moment& moment, const RegistryError& error);
    void on_take_found(const Moment& moment, const Found& found);
    void next_candidate(const Moment& moment);
    void on_lease_survey(const Moment& moment, const Survey& survey);
    void on_lease_failed(const Moment& moment, const RegistryError& error, bool was_write);
    void on_lease_written(const Moment& moment, std::int64_t version);
    void on_lease_found(const Moment& moment, const Found& found);
    void confirm(const Moment& moment, const Write& write, std::int64_t version);
    void take_clock(const Moment& moment, const std::optional<RegistryClock>& clock);

    // A lease begins and ends.
    void begin_lease(const Moment& moment, Lease lease);
    bool begin_offline(const Moment& moment);
    [[nodiscard]] std::string offline_refusal(const Moment& moment) const;
    void open_issuer(const Moment& moment);
    void not_open(Error why);
    void raise_limit();
    void lose(const Moment& moment, Error why);
    void close_issuer(Error why);
    void give_back(const Moment& moment, Error why);  // may end the lease at once
    [[nodiscard]] bool unused_by_another_clock(const Moment& moment) const;
    [[nodiscard]] Error clock_moved() const;
    [[nodiscard]] Chooser chooser() const;
    void stop_over_lost_writes(const Moment& moment, const std::string& detail);
    [[nodiscard]] std::string lost_writes(const std::string& detail) const;
    void abandon(const Moment& moment, const std::string& why);
    void finish() noexcept;

    // State file lane.
    void on_release_stored(const Moment& moment, const WorkerState& state, const Result<void>& stored);
    [[nodiscard]] WorkerState state_to_store(const Moment& moment) const;
    void store_failed(const Moment& moment, const Error& error);
    [[nodiscard]] bool store_hangs(const Moment& moment);

    // Trouble and time.
    void not_yet(const Moment& moment, const std::string& kind, Error why);
    void registry_failed(const std::string& detail);
    void registry_answered(const Moment& moment);
    [[nodiscard]] bool clock_is_off(const Moment& moment) const;
    [[nodiscard]] std::int64_t reach() const noexcept;
    void renew_early(const Moment& moment);
    void offer_peers(const Moment& moment, const Survey& survey);
    [[nodiscard]] std::optional<Error> refused_now(const Moment& moment) const;
    [[nodiscard]] std::optional<Error> trouble_while_issuing(const Moment& moment);
    [[nodiscard]] std::int64_t limit() const noexcept;
    [[nodiscard]] Claim claim() const;
    [[nodiscard]] std::chrono::milliseconds first_retry() const noexcept;
    [[nodiscard]] std::chrono::milliseconds next_retry();
    [[nodiscard]] StartRule start_rule() const;

    const LeaseOptions options_;
    StateAccess access_;
    Issuer& issuer_;
    KeeperMetrics& metrics_;
    TroubleLog mode_log_;      // Snowflake mode has no IDs, or soon will not
    TroubleLog registry_log_;  // the registry is away while IDs flow
    TroubleLog clock_log_;     // the registry's clock is off

    Phase phase_ = Phase::seeking;
    bool settled_ = false;
    NameRecord name_;        // as last seen; an empty id before the first survey
    Permission permission_;  // what the state file allows beyond the registry's rules, until the first lease
    std::optional<std::int64_t> lost_floor_;  // writes were lost while the name's floor was this

    // Registry lane.
    std::optional<RegistryCall> call_;  // under way
    std::uint64_t call_lease_ = 0;      // the lease it belongs to
    SteadyTime call_due_{};
    std::chrono::milliseconds retry_;
    bool registry_up_ = false;
    std::vector<Candidate> candidates_;  // not tried yet, the best last
    bool may_create_ = false;
    std::optional<Candidate> candidate_;           // that is being tried; none: a creation
    LeaseRecord attempt_;                          // what was written for it
    SteadyTime call_since_{};                      // when the last call began
    std::optional<RegistryClock> reference_;       // to be handed on
    std::optional<RegistryClock> registry_clock_;  // last reading
    std::int64_t accepted_offset_ms_ = 0;          // local minus registry's clock when a worker ID was chosen by them
    bool clock_held_ = false;                      // the wall clock is ahead, and the registry's does not confirm it
    SteadyTime peers_due_{};                       // when to ask the other instances

    std::optional<Lease> lease_;
    std::map<std::int64_t, std::int64_t> used_;  // by number: the last timestamp that this process may have used
    std::uint64_t lease_count_ = 0;
    SteadyTime lost_at_{};  // when the last one was lost

    // State file lane.
    std::optional<WorkerState> store_;  // under way
    std::uint64_t store_lease_ = 0;
    SteadyTime store_due_{};
    SteadyTime store_since_{};           // when the one under way began, or the process went on after a stop
    SteadyTime observed_{};              // the last look at the time
    std::optional<WorkerState> stored_;  // last one that is known to be there, written by this process
    std::optional<std::string> store_trouble_;

    // Release.
    std::int64_t last_used_ms_ = 0;
    bool marked_ = false;  // the state file says what the release needs it to say
    bool lower_fence_ = false;
};

}  // namespace frond::worker
