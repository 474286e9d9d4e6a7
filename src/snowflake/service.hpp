// Snowflake mode: one lease's generator under the disciplined clock.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"
#include "snowflake/clock_watch.hpp"
#include "snowflake/disciplined_clock.hpp"
#include "snowflake/metrics.hpp"
#include "snowflake/rollback_guard.hpp"
#include "snowflake/service_waiters.hpp"
#include "worker/keeper.hpp"
#include "worker/lease_slot.hpp"
#include "worker/trouble_log.hpp"

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace frond::snowflake {

// IDs taken in one atomic step: the IDs of ticks first, first + 1, … first + count - 1 of one worker.
struct IdRun {
    SnowflakeLayout layout;
    std::int64_t worker_id;
    std::uint64_t first;
    std::uint64_t count;

    [[nodiscard]] std::int64_t id(std::uint64_t index) const noexcept {
        return layout.id_of_tick(first + index, worker_id);
    }
};

// What /readyz?verbose and the start line say. `reason`: why not, without file paths; while ready it is empty or a
// warning (the wall clock is far off).
struct Status {
    bool ready = false;
    std::int64_t worker_id = -1;  // -1 while none is held
    std::string reason;
};

enum class ClockRollback { hold, reject };

struct SnowflakeOptions {
    SnowflakeLayout layout;
    std::chrono::milliseconds max_ahead{1'000};        // at least 100 ms
    std::chrono::milliseconds clock_agreement{1'000};  // how close a reference must be to confirm a jump ahead
    bool state_file = false;                           // the keeper has one, so that the watermark limits takes too
    std::chrono::milliseconds refill_timeout{2'000};   // how long take() waits
    ClockRollback on_clock_rollback = ClockRollback::hold;
};

// Issues IDs as one worker, whose number the keeper keeps. A mode that is off has no service. Thread-safe but for
// start(), step() and stop().
class SnowflakeService {
public:
    // `keeper` puts its leases into `slot`. References outlive the service.
    SnowflakeService(SnowflakeOptions options, const Clock& clock, worker::LeaseSlot& slot, worker::Keeper& keeper,
                     SnowflakeMetrics& metrics);
    // Stops, with a patience of a few seconds.
    ~SnowflakeService();
    SnowflakeService(const SnowflakeService&) = delete;
    SnowflakeService& operator=(const SnowflakeService&) = delete;

    // Starts the keeper, and a thread that looks at the clocks; waits at most a second for the first attempt to get a
    // lease. errc::invalid_configuration, saying what to do, when max_ahead is too short, or by the keeper. All other
    // trouble makes the mode not ready and is tried again.
    Result<void> start();
    // Whether start() has returned.
    [[nodiscard]] bool started() const noexcept { return started_.load(std::memory_order_acquire); }

    // Issues nothing from here on, ends all waits, and releases the worker ID within `patience` if what is below
    // allows. To be called before the io_contexts of waiting callers are destroyed. May be repeated. False when a call
    // hangs: the keeper must then not be destroyed.
    bool stop(std::chrono::milliseconds patience);

    // The time of IDs in ms since the Unix epoch: what try_take() wants. One reading of a clock ("reject": two).
    [[nodiscard]] std::int64_t now_ms() const noexcept { return guard_ ? guard_->now_ms() : clock_.now_ms(); }

    // Takes `count` IDs if that needs no waiting: no lock, no allocation, no system call. `now_ms` is at most as old as
    // the batch of requests it was read for; "reject" reads the clock anew. On any error, take() tells whether waiting
    // helps and how the request ends.
    [[nodiscard]] Result<IdRun> try_take(std::int64_t now_ms, std::uint64_t count);

    // The same, waiting up to refill_timeout on the caller's I/O thread for the clock to reach the end of the run, for
    // the state file, or 5 ms for a clock that is that little behind ("reject"). Small takes may pass a big one that
    // waits. Errors, the last three at once:
    //   snowflake_overloaded  no room in time
    //   clock_rollback        "reject" and the wall clock is behind; or it was so at start, and nothing was issued yet
    //   worker_unavailable    no worker ID is held, its fence has passed, or the state file cannot be written
    //   lease_lost            the worker ID was taken by another, and no new one has been found yet
    //   timestamp_exhausted, draining, invalid_count (over max_take())
    awaitable<Result<IdRun>> take(std::uint64_t count);

    // Largest count that a take gets for sure when nobody else wants any.
    [[nodiscard]] std::uint64_t max_take() const noexcept { return max_take_; }

    [[nodiscard]] Status status() const;

    // One round of the background work: looks at the clocks, moves the watermark, wakes who waits. Returns the time
    // until the next. Public for tests, which call it instead of start() to have time in their hands.
    std::chrono::milliseconds step();

private:
    struct Refusal {
        Error error;
        std::chrono::milliseconds wait{0};  // 0: waiting does not help
        bool once = false;                  // wait so long in all, however often woken
    };

    [[nodiscard]] Result<void> validate() const;
    void run();
    void await_keeper();
    [[nodiscard]] worker::Moment present_moment();
    [[nodiscard]] worker::Moment steer(const std::optional<worker::RegistryClock>& reference);
    [[nodiscard]] worker::Moment moment_of(const ClockReading& reading) noexcept;
    [[nodiscard]] bool look_at_clocks(const ClockReading& reading);
    [[nodiscard]] bool await_release(std::chrono::milliseconds patience);
    [[nodiscard]] Refusal judge(Error error, std::uint64_t count, std::uint64_t ahead) const;
    [[nodiscard]] Refusal rollback_refusal(Error error, std::uint64_t count) const;
    [[nodiscard]] std::chrono::milliseconds until_room(std::uint64_t count) const;
    [[nodiscard]] static Error rolled_back(std::int64_t behind_ms);
    [[nodiscard]] Error trouble_or(errc code) const;
    [[nodiscard]] std::optional<Error> present_trouble(const SnowflakeGenerator* lease) const;
    void show(const Status& status);

    const SnowflakeOptions options_;
    const Clock& source_;
    SnowflakeMetrics& metrics_;
    const std::uint64_t max_take_;

    std::mutex clock_mutex_;  // of those who steer the clock; never held while the keeper is at work
    DisciplinedClock clock_;
    std::optional<RollbackGuard> guard_;  // "reject" alone
    ClockWatch watch_;
    worker::TroubleLog rollback_log_;  // "reject" alone
    worker::LeaseSlot& slot_;
    worker::Keeper& keeper_;

    ServiceWaiters waiters_;
    std::atomic<std::uint64_t> queued_{0};  // ticks that waiting takes want

    std::atomic<bool> started_{false};
    std::atomic<bool> closing_{false};
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;                  // the thread shall release and end
    std::chrono::milliseconds patience_{0};  // for that
    bool ended_ = false;                     // it has
    bool released_ = false;                  // the keeper said so
    std::thread thread_;
};

}  // namespace frond::snowflake
