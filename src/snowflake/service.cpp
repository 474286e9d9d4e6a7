#include "snowflake/service.hpp"

#include "worker/watermark.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace frond::snowflake {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds least_lead{100};  // a state file moves at a third of it
constexpr milliseconds first_patience{1'000};
constexpr milliseconds usual_patience{5'000};
constexpr milliseconds longest_step{1'000};
constexpr milliseconds until_woken{3'600'000};  // longer than any deadline
constexpr milliseconds shortest_wait{1};
constexpr std::string_view unconfirmed = "neither state file nor registry confirmed a later time in time";

// With a state file, only the lead that is left just before the watermark moves is sure to be there.
std::uint64_t largest_take(const SnowflakeOptions& options) {
    const std::int64_t lead_ms = options.max_ahead.count();
    const auto ms = static_cast<std::uint64_t>(options.state_file ? worker::dependable_lead(lead_ms) : lead_ms);
    const auto per_ms = static_cast<std::uint64_t>(options.layout.max_sequence()) + 1;
    return ms > UINT64_MAX / 2 / per_ms ? UINT64_MAX / 2 : ms * per_ms;
}

// Counts a take among those that wait, for as long as it lives.
class Queued {
public:
    Queued(std::atomic<std::uint64_t>& queued, std::uint64_t count) : queued_(queued), count_(count) {}
    ~Queued() { queued_.fetch_sub(joined_, std::memory_order_relaxed); }
    Queued(const Queued&) = delete;
    Queued& operator=(const Queued&) = delete;

    // Joins, and tells how many IDs are wanted by those that came before. To be called once.
    std::uint64_t ahead() {
        joined_ = count_;
        return queued_.fetch_add(count_, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t>& queued_;
    const std::uint64_t count_;
    std::uint64_t joined_ = 0;
};

}  // namespace

SnowflakeService::SnowflakeService(SnowflakeOptions options, const Clock& clock, worker::LeaseSlot& slot,
                                   worker::Keeper& keeper, SnowflakeMetrics& metrics)
    : options_(options),
      source_(clock),
      metrics_(metrics),
      max_take_(largest_take(options_)),
      clock_(clock, options_.clock_agreement.count()),
      watch_(metrics, options_.on_clock_rollback == ClockRollback::hold),
      rollback_log_("Snowflake mode", milliseconds(0)),
      slot_(slot),
      keeper_(keeper) {
    if (options_.on_clock_rollback == ClockRollback::reject) guard_.emplace(source_, clock_);
}

SnowflakeService::~SnowflakeService() {
    stop(usual_patience);
    if (thread_.joinable()) thread_.join();
}

Result<void> SnowflakeService::validate() const {
    if (options_.max_ahead < least_lead) {
        return Error(errc::invalid_configuration, fmt::format("snowflake.max_ahead is {} ms; it must be at least {} ms",
                                                              options_.max_ahead.count(), least_lead.count()));
    }
    return {};
}

Result<void> SnowflakeService::start() {
    if (auto valid = validate(); !valid) return valid;
    const auto now = [this] { return present_moment(); };
    const auto changed = [this] {
        waiters_.wake_all();
        wake_.notify_all();
    };
    if (auto kept = keeper_.start(now, changed); !kept) return kept;
    thread_ = std::thread([this] { run(); });
    await_keeper();
    started_.store(true, std::memory_order_release);
    return {};
}

void SnowflakeService::await_keeper() {
    std::unique_lock lock(mutex_);
    const auto deadline = steady_clock::now() + first_patience;
    // The keeper tells without this mutex, so that a word of it may be missed: short waits.
    while (!keeper_.settled() && steady_clock::now() < deadline) wake_.wait_for(lock, first_patience / 50);
}

void SnowflakeService::run() {
    ::pthread_setname_np(::pthread_self(), "frond-snowflake");
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        const auto due = steady_clock::now() + step();
        lock.lock();
        wake_.notify_all();
        wake_.wait_until(lock, due, [this] { return stopping_; });
    }
    const milliseconds patience = patience_;
    lock.unlock();
    const bool released = keeper_.release(patience);
    lock.lock();
    released_ = released;
    ended_ = true;
    wake_.notify_all();
}

// The time of IDs. While none depends on it, that is the wall clock itself, so that one that is mended counts at once;
// and the disciplined clock begins anew with every look, so that a lease goes on by the very time at which it was
// taken.
worker::Moment SnowflakeService::moment_of(const ClockReading& reading) noexcept {
    if (!keeper_.issuing()) clock_.restart(reading);
    const std::int64_t now_ms = clock_.at_ms(reading.steady);
    return {guard_ ? std::min(now_ms, unix_ms(reading.wall)) : now_ms, reading.steady};
}

worker::Moment SnowflakeService::present_moment() {
    const std::lock_guard lock(clock_mutex_);
    return moment_of(read_clocks(source_));
}

worker::Moment SnowflakeService::steer(const std::optional<worker::RegistryClock>& reference) {
    const std::lock_guard lock(clock_mutex_);
    const ClockReading reading = read_clocks(source_);
    if (reference) clock_.offer_reference(wall_time(reference->ms), reference->steady);
    const bool held = keeper_.issuing() && look_at_clocks(reading);
    worker::Moment moment = moment_of(reading);
    moment.clock_held = held;
    return moment;
}

milliseconds SnowflakeService::step() {
    const worker::Moment moment = steer(keeper_.take_reference());
    const milliseconds wait = keeper_.step(moment);
    waiters_.wake_all();
    show(status());
    return std::clamp(wait, shortest_wait, longest_step);
}

// Whether the wall clock is ahead by more than time follows by itself.
bool SnowflakeService::look_at_clocks(const ClockReading& reading) {
    const ClockObservation seen = clock_.observe(reading);
    watch_.note(seen, reading.steady);
    if (!guard_) return seen.held;
    if (const std::int64_t behind = guard_->behind_ms(); behind > RollbackGuard::patience_ms) {
        rollback_log_.report("clock", rolled_back(behind).detail + "; IDs are refused until it has caught up");
        return seen.held;
    }
    rollback_log_.report_none(reading.steady);
    // IDs go by the wall clock while it is the lower one, so that nobody sees this one come down to it.
    if (seen.offset_ms < -ClockDiscipline::noise_ms && guard_->behind_ms() == 0) clock_.restart(reading);
    return seen.held;
}

bool SnowflakeService::stop(milliseconds patience) {
    // Issuing ends at once, even while the keeper is busy. A lease that it publishes after this look ends with
    // release().
    closing_.store(true, std::memory_order_release);
    if (SnowflakeGenerator* lease = slot_.current()) lease->close();
    waiters_.wake_all();
    const bool released = thread_.joinable() ? await_release(patience) : keeper_.release(patience);
    waiters_.wake_all();
    show(status());
    return released;
}

// The thread releases, so that a disk that hangs holds up nobody else.
bool SnowflakeService::await_release(milliseconds patience) {
    constexpr milliseconds last_words{1'000};
    std::unique_lock lock(mutex_);
    if (!stopping_) patience_ = patience;
    stopping_ = true;
    wake_.notify_all();
    const auto deadline = steady_clock::now() + patience + last_words;
    if (!wake_.wait_until(lock, deadline, [this] { return ended_; })) return false;
    lock.unlock();
    thread_.join();
    return released_;
}

Result<IdRun> SnowflakeService::try_take(std::int64_t now_ms, std::uint64_t count) {
    // One comparison for 0, too. What fits only by luck is refused as well, so that the answer is always the same.
    if (count - 1 >= max_take_) return Error(errc::invalid_count, fmt::format("count must be 1 to {}", max_take_));
    SnowflakeGenerator* lease = slot_.current();
    if (lease == nullptr) return trouble_or(errc::worker_unavailable);
    if (guard_) {
        const RollbackGuard::Reading reading = guard_->check();
        if (reading.behind_ms > 0) return rolled_back(reading.behind_ms);
        now_ms = reading.now_ms;
    }
    Result<TickRun> ticks = lease->take(now_ms, count);
    if (!ticks) return std::move(ticks.error());
    metrics_.ids_issued.add(count);
    return IdRun{lease->layout(), lease->worker_id(), ticks->first, ticks->count};
}

awaitable<Result<IdRun>> SnowflakeService::take(std::uint64_t count) {
    const auto deadline = steady_clock::now() + options_.refill_timeout;
    Queued queued(queued_, count);
    std::shared_ptr<WaitTimer> timer;
    std::optional<steady_clock::time_point> last_chance;
    for (bool first = true;; first = false) {
        const std::uint64_t round = waiters_.round();
        Result<IdRun> ids = try_take(now_ms(), count);
        if (ids) co_return ids;

        Refusal refusal = judge(std::move(ids.error()), count, first ? queued.ahead() : 0);
        const auto now = steady_clock::now();
        if (refusal.once) {
            // Not "waited before": news for others may have ended that wait too early.
            if (!last_chance) last_chance = std::min(deadline, now + refusal.wait);
            if (now >= *last_chance) refusal.wait = milliseconds(0);
        }
        if (refusal.wait == milliseconds(0) || now >= deadline) {
            metrics_.refused.add();
            co_return std::move(refusal.error);
        }
        if (first) {
            metrics_.waits.add();
            const Executor executor = co_await boost::asio::this_coro::executor;
            timer = std::make_shared<WaitTimer>(executor);
        }
        const ServiceWaiters::Place place(waiters_, timer, round);
        if (place.missed()) continue;
        timer->expires_at(std::min(refusal.once ? *last_chance : deadline, now + refusal.wait));
        boost::system::error_code woken;
        auto token = boost::asio::redirect_error(use_awaitable, woken);
        co_await timer->async_wait(token);
    }
}

// Whether waiting helps against the error, and how long; and what to answer when it does not.
SnowflakeService::Refusal SnowflakeService::judge(Error error, std::uint64_t count, std::uint64_t ahead) const {
    switch (error.code) {
        case errc::snowflake_overloaded:
            return {std::move(error), until_room(count + ahead)};
        case errc::clock_rollback:
            return rollback_refusal(std::move(error), count);
        case errc::limit_reached:
            if (auto trouble = slot_.trouble()) return {std::move(*trouble)};
            return {Error(errc::snowflake_overloaded, std::string(unconfirmed)), until_woken};
        case errc::lease_lost:
            if (closing_.load(std::memory_order_acquire)) return {Error(errc::draining, "the server is stopping")};
            return {std::move(error)};
        default:
            return {std::move(error)};
    }
}

SnowflakeService::Refusal SnowflakeService::rollback_refusal(Error error, std::uint64_t count) const {
    const SnowflakeGenerator* lease = slot_.current();
    if (lease == nullptr) return {std::move(error)};
    const std::int64_t behind = guard_ ? guard_->behind_ms() : lease->ready_at_ms(count) - now_ms();
    if (behind > RollbackGuard::patience_ms || now_ms() < options_.layout.epoch_ms()) return {std::move(error)};
    return {std::move(error), milliseconds(std::max<std::int64_t>(behind, 1)), true};
}

milliseconds SnowflakeService::until_room(std::uint64_t count) const {
    const SnowflakeGenerator* lease = slot_.current();
    if (lease == nullptr) return shortest_wait;
    return std::clamp(milliseconds(lease->ready_at_ms(count) - now_ms()), shortest_wait, until_woken);
}

Error SnowflakeService::rolled_back(std::int64_t behind_ms) {
    return {errc::clock_rollback, fmt::format("the wall clock is {} ms behind the last ID", behind_ms)};
}

Error SnowflakeService::trouble_or(errc code) const { return slot_.trouble().value_or(Error(code)); }

std::optional<Error> SnowflakeService::present_trouble(const SnowflakeGenerator* lease) const {
    if (lease == nullptr) return trouble_or(errc::worker_unavailable);
    if (lease->closed()) return trouble_or(errc::lease_lost);
    if (auto trouble = slot_.trouble()) return trouble;
    if (guard_) {
        const std::int64_t behind = guard_->behind_ms();
        if (behind > RollbackGuard::patience_ms) return rolled_back(behind);
    }
    if (lease->limit_ms() < now_ms()) return Error(errc::worker_unavailable, std::string(unconfirmed));
    return std::nullopt;
}

Status SnowflakeService::status() const {
    const SnowflakeGenerator* lease = slot_.current();
    const auto trouble = present_trouble(lease);
    Status status;
    status.ready = !trouble;
    status.worker_id = lease == nullptr ? -1 : lease->worker_id();
    status.reason = trouble ? trouble->detail : watch_.warning();
    return status;
}

void SnowflakeService::show(const Status& status) {
    metrics_.ready.set(status.ready ? 1 : 0);
    metrics_.worker_id.set(status.worker_id);
}

}  // namespace frond::snowflake
