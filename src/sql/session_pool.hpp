// A fixed number of database sessions, leased one call at a time. SOCI's own pool waits by the wall clock and keeps
// sessions that can no longer be used; this one waits by the steady clock and opens a slot anew after a failure.
#pragma once

#include "sql/dialect.hpp"

#include <soci/soci.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace frond::sql {

using PoolTime = std::chrono::steady_clock::time_point;

// Thread-safe; must outlive its leases.
class SessionPool {
    struct Slot {
        std::unique_ptr<soci::session> session;  // null until first used, and after a failure
        PoolTime idle_since;
    };

public:
    // One slot, held by one thread; given back when destroyed.
    class Lease {
    public:
        Lease(SessionPool& pool, Slot slot) : pool_(&pool), slot_(std::move(slot)) {}
        Lease(Lease&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), slot_(std::move(other.slot_)), reused_(other.reused_) {}
        Lease& operator=(Lease&&) = delete;
        ~Lease();

        // The open session. Opens it when there is none, and asks one that has long been idle whether it still works.
        // Blocks up to the dialect's time-outs; throws soci::soci_error.
        soci::session& session();
        // Whether the session served a call before, so that the server may have closed it in the meantime.
        [[nodiscard]] bool reused() const noexcept { return reused_; }
        // Closes the session: its state is unknown.
        void drop() noexcept;

    private:
        SessionPool* pool_;
        Slot slot_;
        bool reused_ = false;
    };

    // `dialect` must outlive the pool. Opens nothing yet.
    SessionPool(const Dialect& dialect, std::size_t size);
    SessionPool(const SessionPool&) = delete;
    SessionPool& operator=(const SessionPool&) = delete;

    // A free slot; nothing when all are still taken at `deadline`.
    [[nodiscard]] std::optional<Lease> lease(PoolTime deadline);

private:
    void give_back(Slot slot) noexcept;

    const Dialect& dialect_;
    std::mutex mutex_;
    std::condition_variable given_back_;
    std::vector<Slot> free_;  // the last one given back is leased first; its capacity is the pool's size
};

}  // namespace frond::sql
