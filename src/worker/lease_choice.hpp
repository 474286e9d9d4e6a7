// Which worker ID to take, seen from what a registry shows. Pure functions on values; times in ms since the Unix epoch.
#pragma once

#include "worker/keeper.hpp"
#include "worker/registry.hpp"
#include "worker/worker_state.hpp"

#include <frond/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::worker {

// Who chooses, and by which rules.
struct Chooser {
    std::string identity;
    LeaseSpace space;
    std::int64_t max_ahead_ms = 1'000;
    std::int64_t max_clock_skew_ms = 10'000;
    std::int64_t heartbeat_ms = 3'000;
};

// Why this instance must not join: its space is not that of the name, or of a record, or does not go with the nodes of
// Leaf that are there. A sentence that names the record, or the name, and says what to do; empty when nothing
// contradicts.
[[nodiscard]] std::string contradiction_in(const Survey& survey, const LeaseSpace& own, std::string_view name);

// What the clocks say before a worker ID is taken. With a registry that has no clock of its own there is nothing to
// compare.
struct ClockVerdict {
    std::optional<Error> refused;   // clock_rollback: the local clock is off, or nobody can tell whose is
    std::string warning;            // the registry's clock is the odd one out of three
    std::int64_t reference_ms = 0;  // the time by which a fence is past
};
// The three clocks: this machine's, the registry's, and the median of the live instances' (each one's `timestamp`
// against the modification time of its record). `chooser.identity` is not counted among them.
[[nodiscard]] ClockVerdict judge_clocks(const Survey& survey, const Chooser& chooser, const Moment& moment);

// How far the clocks of the other live instances are ahead of the registry's, which shows registry_ms: the median.
// Nothing when there are none.
[[nodiscard]] std::optional<std::int64_t> peers_ahead(const Survey& survey, const Chooser& chooser,
                                                      std::int64_t registry_ms);

// A record to be taken by compare-and-set.
struct Candidate {
    std::int64_t number;
    std::int64_t version;  // as read
    std::int64_t fence;    // as read: never to be lowered
    std::int64_t floor;    // nothing at or below it may be issued
    bool resume;           // this instance's own lease goes on, as its state file allows
};

struct Choice {
    std::vector<Candidate> candidates;         // best first
    bool may_create = false;                   // a new number is left
    std::optional<Error> wait;                 // clock_rollback: rather wait for the own record than take another
    std::optional<std::int64_t> next_free_ms;  // when the first of the records that are held or blocked may be taken
};

// The records to try: the one that `state` allows to resume, then that of the same identity, then all others, from a
// start that `turn` chooses, so that instances which start together do not all try the same. `state` is null without a
// usable state file; else what it allows this process is `permission`.
[[nodiscard]] Choice choose(const Survey& survey, const Chooser& chooser, const Moment& moment,
                            std::int64_t reference_ms, const WorkerState* state, const Permission& permission,
                            std::uint64_t turn);

}  // namespace frond::worker
