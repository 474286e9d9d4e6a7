// The record of a worker ID, as every registry keeps it, and its form as text. Pure functions on values: no I/O, no
// clock; thread-safe. Times are ms since the Unix epoch.
#pragma once

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace frond::worker {

// What all who share a name must agree on: the layout of IDs, and which share of the worker IDs this registry hands
// out. A record's number 0, 1, … is the worker ID offset + number.
struct LeaseSpace {
    SnowflakeLayout layout;
    std::int64_t offset = 0;  // 0 to layout.max_worker_id()
    std::int64_t limit = 0;   // how many numbers there are: 1 to layout.max_worker_id() - offset + 1

    [[nodiscard]] bool holds(std::int64_t number) const noexcept { return number >= 0 && number < limit; }
    [[nodiscard]] std::int64_t worker_id(std::int64_t number) const noexcept { return offset + number; }

    bool operator==(const LeaseSpace&) const = default;
};

// The space that a configuration asks for; limit 0 means all from the offset on. errc::invalid_configuration, naming
// snowflake.worker_id_offset or snowflake.worker_id_limit, when that leaves the worker ID's field.
[[nodiscard]] Result<LeaseSpace> make_space(const SnowflakeLayout& layout, std::int64_t offset, std::int64_t limit);

// "epoch 2010-11-04T01:42:54.657Z, bits 41+10+12, offset 0, limit 1024".
[[nodiscard]] std::string describe(const LeaseSpace& space);

// Times in a registry lie at most so far from the Unix epoch, so that sums and differences of a few cannot overflow.
inline constexpr std::int64_t furthest_time_ms = std::int64_t{1} << 61;

enum class LeaseState : std::uint8_t {
    held,
    released,  // the owner stopped issuing for good, and lowered the fence to the last timestamp that it used
};

struct LeaseRecord {
    std::string owner;           // random, of one lease: new at every creation, take-over and resume
    std::string write;           // random, new with every single write
    std::string identity;        // stable name of the instance; a preference, never a proof
    std::string ip;              // as Leaf writes it; may be empty
    std::string port;            // as Leaf writes it: a number in quotes
    std::int64_t timestamp = 0;  // the owner's disciplined clock at this write
    std::int64_t fence = 0;      // highest timestamp that the owner may use
    LeaseState state = LeaseState::held;
    LeaseSpace space;

    bool operator==(const LeaseRecord&) const = default;
};

// One line of JSON; Leaf reads its own three fields of it. Exact inverse: parse_record().
[[nodiscard]] std::string format_record(const LeaseRecord& record);

// errc::bad_request, saying what is wrong, for a text that is not a record or of another version.
[[nodiscard]] Result<LeaseRecord> parse_record(std::string_view text);

// What is kept once for a name, beside its records.
struct NameRecord {
    std::string id;      // random, new when the name is made
    LeaseSpace space;    //
    std::string parent;  // which parent of records it belongs to (ZooKeeper: its creation zxid); may be empty
    std::int64_t floor = INT64_MIN;  // no new lease of any number starts at or below it: `frond worker raise`

    bool operator==(const NameRecord&) const = default;
};

[[nodiscard]] std::string format_name(const NameRecord& name);
// Errors as parse_record().
[[nodiscard]] Result<NameRecord> parse_name(std::string_view text);

}  // namespace frond::worker
