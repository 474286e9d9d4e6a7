// What an instance writes down about its worker ID, its form as text, and what a later process may conclude from it.
// Pure functions on values: no I/O, no clock; thread-safe.
#pragma once

#include "worker/state_directory.hpp"

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frond::worker {

// The content of worker.json. Times are ms since the Unix epoch.
struct WorkerState {
    enum class Use : std::uint8_t { held, released };

    std::string name;                   // name space of the worker IDs (snowflake.name)
    SnowflakeLayout layout;             //
    std::string registry;               // kind, addresses and root of the registry, as one stable text
    std::int64_t worker_id = 0;         // absolute, offset included
    std::string owner;                  // random ID of the lease
    Use use = Use::held;                // released: the owner stopped issuing for good
    std::int64_t watermark = 0;         // no ID above it was ever issued by the owner
    std::optional<std::int64_t> fence;  // last one known to be committed; none with a registry that has no fences
    Holder holder;                      // who wrote it

    bool operator==(const WorkerState&) const = default;
};

// One line of JSON that ends with a checksum of everything before it. Any change of the text is noticed by
// parse_state(), save one that a CRC-32 misses.
[[nodiscard]] std::string format_state(const WorkerState& state);

// errc::bad_request, saying what is wrong, for a text that is damaged or of another version. Exact inverse of
// format_state().
[[nodiscard]] Result<WorkerState> parse_state(std::string_view text);

// What the present process is, to be held against a state that it found.
struct Claim {
    std::string name;
    SnowflakeLayout layout;
    std::string registry;
    Holder holder;  // of the lock that it holds; all empty when it holds none
};

// Why the state says nothing at all to this process (another name or layout); empty when it counts.
[[nodiscard]] std::string ignored_because(const WorkerState& found, const Claim& claim);

// Highest ms that may have been used by `worker_id`, never to be issued at or below: the watermark, whatever boot,
// registry or use the state names. None when the state is ignored or is about another worker ID.
[[nodiscard]] std::optional<std::int64_t> floor_of(const WorkerState& found, const Claim& claim,
                                                   std::int64_t worker_id);

// What the state allows beyond the registry's rules. Both need the lock, the same registry and a holder that proves
// the writer's death.
struct Permission {
    // Take the record back from the owner in the state by compare-and-set, and start above the watermark instead of
    // above the record's fence.
    bool resume = false;
    // Issue above the watermark and up to this fence while the registry is down; none when the state is released.
    std::optional<std::int64_t> offline_until;
};
[[nodiscard]] Permission permission_of(const WorkerState& found, const Claim& claim);

}  // namespace frond::worker
