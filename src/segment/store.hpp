// Where ranges come from: the interfaces that src/sql implements. All calls block and belong on a blocking pool;
// all are thread-safe.
#pragma once

#include "segment/range.hpp"
#include "segment/step_policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::segment {

// A range that is durably ours, and what the key's row said when it was made.
struct Grant {
    Range range;
    std::int64_t row_step = 0;  // the key's own step
    std::int64_t max_step = 0;  // upper bound of the adapted step
    std::int64_t accepted = 0;  // how often an operator has accepted a table that went backwards (`frond key accept`)
};

class SegmentStore {
public:
    virtual ~SegmentStore() = default;

    // Reserves a range, durably, before it returns. Its width is decide_width(request, row). Errors:
    //   key_not_found      no row has this key, byte for byte, or the row is disabled or deleted
    //   key_misconfigured  the row makes no valid range; the detail names key, column and value. Nothing is changed
    //   key_exhausted      max_id would pass 2^63 - 1. Nothing is changed
    //   store_went_backwards  below_guard(request, row). Nothing is changed
    //   store_unavailable  not reached, no answer in time, or outcome unknown: the range, if any, is a gap
    virtual Result<Grant> advance(std::string_view key, const StepRequest& request) = 0;

    // Gives the unused end of a range back: [from, end) where nobody allocated after it. True when it was taken
    // back, false when the row has moved on. Errors as advance().
    virtual Result<bool> hand_back(std::string_view key, std::int64_t from, std::int64_t end) = 0;

    // All keys that may issue (not disabled, not deleted), in the order of their bytes. Errors: store_unavailable.
    virtual Result<std::vector<std::string>> keys() = 0;

    // What an operator should know about durability, a sentence each; empty when all is well. store_unavailable.
    virtual Result<std::vector<std::string>> durability_warnings() = 0;

    // Which database this is, without user or password: a stable name for logs and the guard file.
    [[nodiscard]] virtual std::string identity() const = 0;
};

// One key as operators see it.
struct KeyRecord {
    std::string key;
    std::int64_t max_id = 1;
    std::int64_t step = 1000;
    std::int64_t delta = 1;
    std::int64_t remainder = 0;
    std::int64_t max_step = 1'000'000;
    std::string description = {};
    std::string update_time = {};  // as the database prints it
    bool disabled = false;
};

// What to change about a key; what is absent stays.
struct KeyChange {
    std::optional<std::int64_t> step = {};
    std::optional<std::int64_t> delta = {};
    std::optional<std::int64_t> remainder = {};
    std::optional<std::int64_t> max_step = {};
    std::optional<std::string> description = {};
    std::optional<bool> disabled = {};
};

// Key administration, for the command line and the admin API.
class KeyAdmin {
public:
    virtual ~KeyAdmin() = default;

    // Creates what is missing of the schema, drops and changes nothing. One sentence for each thing done or found.
    virtual Result<std::vector<std::string>> init() = 0;
    // key_exists, invalid_key, key_misconfigured (bad step, delta, remainder), store_unavailable.
    virtual Result<void> create(const KeyRecord& record) = 0;
    // Keys after `after` in the order of their bytes, at most `limit`.
    virtual Result<std::vector<KeyRecord>> list(std::string_view prefix, std::string_view after, std::size_t limit) = 0;
    virtual Result<KeyRecord> show(std::string_view key) = 0;
    virtual Result<KeyRecord> change(std::string_view key, const KeyChange& change) = 0;
    // Accepts that the table went backwards for this key: running servers then forget their guard for it.
    virtual Result<KeyRecord> accept(std::string_view key) = 0;
    // Raises max_id of all keys (or of one) by n >= 1; returns how many rows. Stops before 2^63 - 1: key_exhausted,
    // nothing changed.
    virtual Result<std::int64_t> raise_all(std::int64_t n) = 0;
    virtual Result<KeyRecord> raise(std::string_view key, std::int64_t n) = 0;
};

}  // namespace frond::segment
