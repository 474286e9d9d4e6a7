// What a server knows of one key.
#pragma once

#include "base/clock.hpp"
#include "segment/buffer.hpp"
#include "segment/journal.hpp"
#include "segment/step_policy.hpp"
#include "segment/store_health.hpp"

#include <frond/result.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace frond::segment {

// A caller that waits for IDs of a key. `error` and wake() belong to whoever holds the entry's mutex.
struct Waiter {
    virtual ~Waiter() = default;
    // Lets the caller go on, from any thread; returns at once.
    virtual void wake() = 0;

    std::uint64_t wanted = 1;
    std::optional<Error> error;  // why there will be no range; empty: try again
};

// Why a key gets no new range although the store answers. Present only while that is so.
struct KeyTrouble {
    Error error;
    Backoff backoff;
};

// `buffer` has its own rules. `refilling` is true from the moment that a refill is wanted until it ended well, or,
// after a failure, until it may be tried again; who turns it from false to true owns publish() and close() of the
// buffer.
struct KeyEntry : std::enable_shared_from_this<KeyEntry> {
    explicit KeyEntry(std::string name) : key(std::move(name)) {}

    const std::string key;
    SegmentBuffer buffer;
    std::atomic<bool> refilling{false};
    std::atomic<bool> removed{false};  // the row is gone or disabled: never issues again; the next use looks anew
    std::atomic<bool> listed{false};   // in the table, that is, the row was seen once

    std::atomic<bool> preloading{false};  // its first range is part of start-up, wanted also without waiters

    std::mutex mutex;  // of everything below
    std::vector<Waiter*> waiters;
    std::unique_ptr<KeyTrouble> trouble;
    JournalEntry guard;
    // First number of each of the last ranges, with the guard as it was before it came: what counts again when the
    // range is handed back untouched.
    std::vector<std::pair<std::int64_t, std::int64_t>> guards_before;
    std::int64_t row_step = 0;
    std::int64_t max_step = default_max_step;
    std::int64_t step = 0;
    std::uint64_t ranges = 0;         // how many came
    bool somebody_waited = false;     // since the last range
    SteadyTime last_range{};          // when the last range arrived
    std::uint64_t position_seen = 0;  // by the last round of housekeeping
};

// Sends everybody who waits for the key away with an error. Thread-safe.
inline void fail_waiters(KeyEntry& entry, const Error& error) {
    const std::lock_guard lock(entry.mutex);
    for (Waiter* waiter : entry.waiters) {
        waiter->error = error;
        waiter->wake();
    }
    entry.waiters.clear();
}

}  // namespace frond::segment
