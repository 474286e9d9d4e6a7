// The registry of a simulation: one history of commits, of which a reader may see an older state.
#pragma once

#include "sim/checker.hpp"
#include "sim/history.hpp"
#include "sim/prng.hpp"
#include "sim/scenario.hpp"
#include "worker/registry_call.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frond::sim {

// Who calls, and what it knows.
struct Caller {
    int instance;
    std::size_t seen = 0;     // commits that it has surely seen; no later read shows less
    bool overwrites = false;  // the mutation that ignores versions
};

// A reply, and how many commits whoever gets it has seen.
struct Answer {
    worker::RegistryReply reply;  // clocks hold ms alone: `steady` is the caller's to fill in
    std::size_t seen;
};

// Used by one thread.
class SimRegistry {
public:
    SimRegistry(const Scenario& scenario, Random& random, Checker& checker, History& history);

    Answer execute(Time now, const worker::RegistryCall& call, const Caller& caller);

    // Somebody beside Frond takes the next number, as a Leaf server does.
    void create_foreign(Time now);

    // The registry's clock minus true time.
    std::int64_t clock_offset_ms = 0;
    // No call is answered, and none has an effect, until then.
    Time down_until = 0;
    // No read shows an older state.
    bool fresh = false;

    // Whether there is a number that nobody uses, for a caller whose clock is right: one not yet made, or a record that
    // has been past for `since` ms.
    [[nodiscard]] bool has_free_number(Time now, Time since) const;
    // Leases that took a record over, and those that went on with one whose fence was not past.
    [[nodiscard]] std::uint64_t take_overs() const noexcept { return take_overs_; }
    [[nodiscard]] std::uint64_t resumes() const noexcept { return resumes_; }

private:
    struct Commit {
        Time time;
        std::int64_t number;
        std::int64_t version;
        std::int64_t modified_ms;
        std::optional<worker::LeaseRecord> record;
    };
    struct Slot {
        std::string created_by;
        std::vector<std::size_t> commits;  // indexes of log_
    };

    [[nodiscard]] std::int64_t clock_ms(Time now) const noexcept;
    [[nodiscard]] std::optional<worker::RegistryClock> clock(Time now) const;
    void commit(Time now, int instance, std::int64_t number, std::int64_t version, const worker::LeaseRecord& record);
    [[nodiscard]] Slot* find_slot(std::int64_t number);
    [[nodiscard]] std::size_t choose_view(Time now, std::size_t seen);
    [[nodiscard]] const Commit* latest(const Slot& slot, std::size_t view) const;
    [[nodiscard]] worker::RecordView view_of(const Commit& commit) const;
    [[nodiscard]] bool past(Time now, const worker::LeaseRecord& record) const;
    void check_few(Time now, int instance);

    worker::RegistryReply survey(Time now, std::size_t view);
    worker::RegistryReply create(Time now, const worker::LeaseRecord& record, const Caller& caller);
    worker::RegistryReply write(Time now, const worker::WriteCall& call, const Caller& caller);
    worker::RegistryReply read(std::int64_t number, std::size_t view);
    worker::RegistryReply find(const worker::LeaseRecord& created, std::size_t view);

    const Scenario& scenario_;
    Random& random_;
    Checker& checker_;
    History& history_;
    std::vector<Commit> log_;
    std::vector<Slot> slots_;  // number minus first_number
    std::uint64_t take_overs_ = 0;
    std::uint64_t resumes_ = 0;
};

}  // namespace frond::sim
