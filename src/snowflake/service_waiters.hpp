// Coroutines that wait for the lease to change: a higher limit, or its end.
#pragma once

#include "base/async.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace frond::snowflake {

using WaitTimer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                    boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

// Thread-safe. A waiter's io_context is run by one thread, and no wake_all() runs once contexts are destroyed.
class ServiceWaiters {
public:
    // What has been announced so far: to be read before looking at the lease.
    [[nodiscard]] std::uint64_t round() const {
        const std::lock_guard lock(mutex_);
        return round_;
    }

    // Wakes every waiter by cancelling its timer, on the timer's own thread.
    void wake_all();

    // A place in the list for as long as it lives.
    class Place {
    public:
        // `round` was read before the look that made the caller wait.
        Place(ServiceWaiters& list, const std::shared_ptr<WaitTimer>& timer, std::uint64_t round);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        // True when something was announced between that look and now: look again instead of waiting.
        [[nodiscard]] bool missed() const noexcept { return missed_; }

    private:
        ServiceWaiters& list_;
        const std::shared_ptr<WaitTimer> timer_;
        bool missed_ = false;
    };

private:
    mutable std::mutex mutex_;
    std::uint64_t round_ = 0;
    std::unordered_set<std::shared_ptr<WaitTimer>> timers_;
};

}  // namespace frond::snowflake
