// Where the keeper of a worker ID puts the lease that is held, and where the service finds it.
#pragma once

#include <frond/result.hpp>
#include <frond/snowflake_generator.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace frond::worker {

// Holds at most one lease at a time. A lease is one generator (worker ID, tick word, limit), never opened again once
// closed, so that a late answer cannot raise the limit of the next one. Thread-safe.
class LeaseSlot {
public:
    // The lease that is held, or null. One atomic load; the pointer is good for the life of the slot.
    [[nodiscard]] SnowflakeGenerator* current() const noexcept { return current_.load(std::memory_order_acquire); }

    // Puts a new lease in, without trouble. For the keeper, while none is held. Throws std::invalid_argument as the
    // generator does.
    SnowflakeGenerator& publish(const SnowflakeGenerator::Options& options);

    // Takes the lease out and closes it; nobody gets an ID from it any more, not even those who hold its pointer.
    // Returns what close() says, or nothing when there was no lease.
    std::optional<std::int64_t> withdraw(Error why);

    // Why IDs cannot be had, or soon cannot, although a lease may be held; for readiness and replies.
    void set_trouble(std::optional<Error> trouble);
    [[nodiscard]] std::optional<Error> trouble() const;

private:
    std::atomic<SnowflakeGenerator*> current_{nullptr};
    mutable std::mutex mutex_;
    std::optional<Error> trouble_{Error(errc::worker_unavailable, "no worker ID is held yet")};
    // Closed leases stay: a taker may be looking at one. A few hundred bytes for each lease ever held.
    std::vector<std::unique_ptr<SnowflakeGenerator>> leases_;
};

}  // namespace frond::worker
