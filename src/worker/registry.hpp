// Where worker IDs are leased: a shared store of one record for each number, with compare-and-set. Implemented over
// ZooKeeper (src/zookeeper) and over the database (src/sql); one suite of contract tests runs against all.
#pragma once

#include "base/clock.hpp"
#include "worker/lease_record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace frond::worker {

enum class RegistryFault : std::uint8_t {
    unavailable,     // not reached or refused: certainly nothing was changed
    unknown,         // a write may or may not have been done, now or later
    conflict,        // compare-and-set: the record has another version. Certainly nothing was changed
    missing,         // there is no such record. Certainly nothing was changed
    full,            // no number is left to be created. Certainly nothing was handed out
    contradiction,   // what is there does not belong to this name, and only an operator can tell why
    went_backwards,  // the registry shows an older state than it showed before: it lost acknowledged writes
};

// `detail` is a sentence for people, HTTP clients among them: it names no address of a server and no credentials, and
// repeats no text of a driver that might. Places in the registry (paths of nodes, tables, worker IDs) are fine. The log
// has the rest.
struct RegistryError {
    RegistryFault fault;
    std::string detail;
};

// A reading of the registry's own clock: it showed `ms` (since the Unix epoch) when the local steady clock showed
// `steady`, within half a round trip.
struct RegistryClock {
    std::int64_t ms;
    SteadyTime steady;

    [[nodiscard]] std::int64_t at(SteadyTime now) const noexcept {
        return ms + std::chrono::duration_cast<std::chrono::milliseconds>(now - steady).count();
    }
};

// One record as it was read.
struct RecordView {
    std::int64_t number;                // without the offset
    std::int64_t version;               // the token for compare-and-set; grows with each write
    std::int64_t modified_ms = 0;       // last write, in the registry's clock
    std::optional<LeaseRecord> record;  // none: not made by Frond (Leaf's node), or unreadable; never to be written
    std::string place;                  // its name in the registry, for messages
    std::string problem;                // why a record that Frond seems to have made cannot be read; else empty
};

// All that is known under a name.
struct Survey {
    NameRecord name;
    std::vector<RecordView> records;  // in no order
    std::int64_t first_number = 0;    // lower ones are never used (ZooKeeper: 1, beside a Leaf server that runs as 0)
    std::int64_t next_number = 0;     // the number that the next create() would get
    std::optional<RegistryClock> clock;  // none: the registry has no clock of its own (SQLite)
    // Identities of the instances that are connected now. Filled by WorkerAdmin::look() alone, where that is known: it
    // costs a call for each of them.
    std::vector<std::string> present;
};

struct Written {
    std::int64_t version;
    std::optional<RegistryClock> clock;
};

struct Created {
    std::int64_t number;
    std::int64_t version;
    std::optional<RegistryClock> clock;
};

template <class T>
using RegistryResult = std::variant<RegistryError, T>;

using Found = std::optional<RecordView>;

// One name in one registry. All calls but cancel() block, by one thread at a time, and return in bounded time (the
// session or query time-out) unless the system below hangs. Reads may be stale: no older than what this object has
// seen before, but older than what others have written. The faults that each call may give, beside `unavailable`,
// `contradiction` and `went_backwards`, stand with it. No exception leaves.
class WorkerRegistry {
public:
    virtual ~WorkerRegistry() = default;

    // Kind, addresses and name space as one stable text without secrets, as it goes into the state file:
    // "zookeeper:zk1:2181,zk2:2181/snowflake/frond".
    [[nodiscard]] virtual std::string describe() const = 0;

    // Joins the name: makes what is missing (tables are not made), also the sign that this instance is present, and
    // reads everything, as fresh as the registry can. A name that was made before comes back as it is; whether its
    // space contradicts is the caller's to judge.
    virtual RegistryResult<Survey> survey() = 0;

    // Makes a record with a new number, the next one. Faults: unknown, full. A number that was made but lies at or
    // above the limit is not left behind, if possible.
    virtual RegistryResult<Created> create(const LeaseRecord& record) = 0;

    // Replaces the record if its version is the given one. Faults: unknown, conflict, missing.
    virtual RegistryResult<Written> write(std::int64_t number, std::int64_t version, const LeaseRecord& record) = 0;

    // The record with this number, if there is one.
    virtual RegistryResult<Found> read(std::int64_t number) = 0;

    // The record that create() made for this owner, if there is one; its content may be somebody else's by now. After
    // an unknown outcome. Faults: full, when that record has a number at or above the limit, as create() would have
    // said had its answer come; it is not left behind either, if possible.
    virtual RegistryResult<Found> find(const LeaseRecord& created) = 0;

    // Makes the present call and all later ones end soon with `unavailable` or `unknown`, as far as the system below
    // allows. Any thread.
    virtual void cancel() noexcept = 0;
};

// For operators. As WorkerRegistry, but joins nothing and makes nothing.
class WorkerAdmin {
public:
    virtual ~WorkerAdmin() = default;
    [[nodiscard]] virtual std::string describe() const = 0;
    // `missing` when the name was never made.
    virtual RegistryResult<Survey> look() = 0;
    // Raises the floor of the name to `floor_ms`, never lowers it; returns the floor that holds then. Faults: missing,
    // unknown.
    virtual RegistryResult<std::int64_t> raise_floor(std::int64_t floor_ms) = 0;
};

}  // namespace frond::worker
