// Where the keeper of a worker ID puts the lease that is held, and where the service finds it.
#pragma once

#include "worker/issuer.hpp"

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
class LeaseSlot final : public Issuer {
public:
    // The lease that is held, or null. One atomic load; the pointer is good for the life of the slot.
    [[nodiscard]] SnowflakeGenerator* current() const noexcept { return current_.load(std::memory_order_acquire); }

    // Throws std::invalid_argument as the generator does. Allocates.
    void open(const SnowflakeGenerator::Options& options) override;
    void raise_limit(std::int64_t limit_ms) override;
    // Also those who hold the lease's pointer get nothing from it any more.
    std::optional<std::int64_t> close(Error why) override;

    void set_trouble(std::optional<Error> trouble) override;
    // What set_trouble() or close() said last.
    [[nodiscard]] std::optional<Error> trouble() const;

private:
    std::atomic<SnowflakeGenerator*> current_{nullptr};
    mutable std::mutex mutex_;
    std::optional<Error> trouble_{Error(errc::worker_unavailable, "no worker ID is held yet")};
    // Closed leases stay: a taker may be looking at one. A few hundred bytes for each lease ever held.
    std::vector<std::unique_ptr<SnowflakeGenerator>> leases_;
};

}  // namespace frond::worker
