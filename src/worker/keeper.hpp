// Who keeps a worker ID for Snowflake mode: StaticKeeper (a number chosen by the operator) or LeaseKeeper (leased from
// a registry).
#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "worker/registry.hpp"

#include <frond/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace frond::worker {

// The time at which a step happens. `now_ms` is what IDs are made by: the disciplined clock, or the wall clock while no
// lease is held; ms since the Unix epoch.
struct Moment {
    std::int64_t now_ms;
    SteadyTime steady;
    bool clock_held = false;  // the wall clock is further ahead than time follows without somebody's consent
};

struct KeeperMetrics {
    Counter state_file_errors;  // writes of the state file that failed
    Counter leases_taken;       // leases that were begun: creations, take-overs, resumes
    Counter leases_lost;        // leases that ended because another wrote the record, or it was gone
    Counter registry_errors;    // calls that failed or had an unknown outcome
    Counter heartbeats;         // confirmed
    Gauge registry_up;          // 1 while the last call was answered
    Gauge registry_offset_ms;   // registry's clock minus the time of IDs, at the last reply that had one
    Gauge fence_ms;             // last committed fence, in ms since the Unix epoch; 0 while there is none
    Gauge watermark_ms;         // in ms since the Unix epoch; 0 while there is none
};

// step() and release() by one thread; the rest as said.
class Keeper {
public:
    virtual ~Keeper() = default;

    // Checks what only the operator can mend, and begins. `now` may be called from any thread, `changed` is called from
    // any thread after the lease or its limit changed; both until release() has returned true.
    // errc::invalid_configuration.
    virtual Result<void> start(std::function<Moment()> now, std::function<void()> changed) = 0;

    // Does what is due and says after how long to come back.
    virtual std::chrono::milliseconds step(const Moment& moment) = 0;

    // True while IDs are made: time must come from the disciplined clock then. Before that it may follow every step of
    // the wall clock, so that a lease which was taken by a wrong clock is not stuck with it. Any thread.
    [[nodiscard]] virtual bool issuing() const noexcept = 0;

    // Whether the first attempt to get a lease has come to an end, either way. Any thread.
    [[nodiscard]] virtual bool settled() const noexcept = 0;

    // What the registry's clock showed, once for each reading.
    virtual std::optional<RegistryClock> take_reference() { return std::nullopt; }

    // Stops issuing for good and releases what is held, in at most `patience` if the systems below allow. False when a
    // call hangs: this object must then not be destroyed.
    virtual bool release(std::chrono::milliseconds patience) = 0;
};

}  // namespace frond::worker
