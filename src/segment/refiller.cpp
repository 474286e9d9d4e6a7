#include "segment/refiller.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace frond::segment {
namespace {

// The timekeeper looks at least this often: its condition variable runs on another clock than the times it watches.
constexpr std::chrono::milliseconds longest_nap{1000};
constexpr std::chrono::hours for_ever{24 * 365};

// A key that was never found and that nobody waits for any more is given up, for good.
bool nobody_wants(KeyEntry& entry) {
    const std::lock_guard lock(entry.mutex);
    if (entry.listed || entry.preloading || !entry.waiters.empty()) return false;
    entry.removed = true;
    return true;
}

// A refill that came when another had just ended: the current and the next range are there and nobody waits, or there
// is no place for one more.
bool needs_no_range(KeyEntry& entry) {
    const std::lock_guard lock(entry.mutex);
    return !entry.buffer.has_room() || (entry.buffer.occupied() >= 2 && entry.waiters.empty());
}

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Refiller::Refiller(const Parts& parts)
    : parts_(parts),
      health_(std::random_device()()),
      pool_("frond-segment", parts.threads),
      timekeeper_([this] { keep_time(); }) {}

Refiller::~Refiller() { stop(for_ever); }

void Refiller::kick(KeyEntry& entry) {
    if (entry.refilling.load(std::memory_order_relaxed) || entry.refilling.exchange(true)) return;
    submit([this, shared = entry.shared_from_this()](Turn turn) { refill(shared, turn); });
}

void Refiller::run(std::function<Result<void>()> call) {
    submit([this, call = std::move(call)](Turn turn) {
        const Result<void> done = call();
        const bool answered = done || done.error().code != errc::store_unavailable;
        report(turn, answered ? nullptr : &done.error());
        if (!answered) run(call);
    });
}

// Every call to the store goes through here: to the pool, or, while the store is away, to the parked ones.
void Refiller::submit(Job job) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const Turn turn = health_.ask(parts_.clock.steady());
    if (turn != Turn::wait) return post(std::move(job), turn);
    parked_.push_back(std::move(job));
    wake_.notify_all();  // the timekeeper does not watch the time of a probe that nobody wants
}

void Refiller::post(Job job, Turn turn) {
    pool_.post([this, job = std::move(job), turn]() mutable { begin(std::move(job), turn); });
}

// On a pool thread. The store may have gone away while the job was queued.
void Refiller::begin(Job job, Turn turn) {
    {
        const std::lock_guard lock(mutex_);
        if (turn == Turn::call) turn = health_.ask(parts_.clock.steady());
        if (turn == Turn::wait) {
            if (!stopping_) parked_.push_back(std::move(job));
            return wake_.notify_all();
        }
    }
    job(turn);
}

bool Refiller::store_away() const {
    const std::lock_guard lock(mutex_);
    return health_.away() || !answered_once_;
}

void Refiller::refill(const std::shared_ptr<KeyEntry>& entry, Turn turn) {
    if (nobody_wants(*entry)) {
        release(turn);
        return parts_.listener.key_abandoned(entry);
    }
    if (needs_no_range(*entry)) {
        release(turn);
        return end_refill(*entry);
    }
    const StepRequest request = request_for(*entry);
    const Result<Grant> grant = parts_.store.advance(entry->key, request);
    if (!grant && grant.error().code == errc::store_unavailable) {
        parts_.metrics.refill_failures.add();
        report(turn, &grant.error());
        return submit([this, entry](Turn next) { refill(entry, next); });
    }
    report(turn, nullptr);
    if (!grant) return refuse(entry, grant.error());
    // The store has checked both; a store that forgot to must not cost uniqueness.
    if (below_guard(request, grant->range.first, grant->accepted)) {
        return refuse(entry, Error(errc::store_went_backwards, "the store gave a range below the guard"));
    }
    const Result<Run> run = run_of(grant->range, entry->key);
    if (!run) return refuse(entry, run.error());
    accept(entry, request, *grant, *run);
}

StepRequest Refiller::request_for(KeyEntry& entry) const {
    const std::lock_guard lock(entry.mutex);
    std::int64_t all = 0;
    std::int64_t largest = 1;
    for (const Waiter* waiter : entry.waiters) {
        all += static_cast<std::int64_t>(waiter->wanted);
        largest = std::max(largest, static_cast<std::int64_t>(waiter->wanted));
    }
    // Everybody who waits now is served by one range, within reason.
    std::int64_t at_least = std::max(largest, std::min(all, entry.max_step));
    // The third slot is the last resort of large takes: whatever fills it has to satisfy any of them.
    if (entry.buffer.occupied() >= 2) at_least = std::max(at_least, parts_.max_batch);
    if (!entry.waiters.empty()) entry.somebody_waited = true;

    std::int64_t step = entry.step;
    // How long a range lasts is known from the second one on.
    if (entry.ranges >= 2 || (entry.ranges == 1 && entry.somebody_waited)) {
        step = next_step(step, entry.row_step, entry.max_step, parts_.clock.steady() - entry.last_range,
                         entry.somebody_waited);
    }
    return StepRequest{.known_row_step = entry.row_step,
                       .step = step,
                       .at_least = at_least,
                       .not_below = entry.guard.end,
                       .known_accepted = entry.guard.accepted};
}

void Refiller::accept(const std::shared_ptr<KeyEntry>& entry, const StepRequest& request, const Grant& grant,
                      const Run& run) {
    parts_.metrics.refills.add();
    JournalEntry guard;
    bool wait_counted = false;
    {
        const std::lock_guard lock(entry->mutex);
        if (entry->trouble) {
            spdlog::info("key '{}': ranges come again", entry->key);
            entry->trouble.reset();
        }
        if (grant.accepted > entry->guard.accepted && entry->guard.end > grant.range.first) {
            spdlog::warn(
                "key '{}': an operator accepted that the table went backwards; ranges now begin at {}, before "
                "that they ended at {}",
                entry->key, grant.range.first, entry->guard.end);
        }
        // Not the width of this range, which waiting callers may have widened.
        entry->step = request.known_row_step == grant.row_step ? request.step : grant.row_step;
        ++entry->ranges;
        entry->row_step = grant.row_step;
        entry->max_step = grant.max_step;
        wait_counted = std::exchange(entry->somebody_waited, false);
        entry->last_range = parts_.clock.steady();
        if (entry->guards_before.size() == SegmentBuffer::slots)
            entry->guards_before.erase(entry->guards_before.begin());
        entry->guards_before.emplace_back(grant.range.first, entry->guard.end);
        entry->guard = {.end = grant.range.last_exclusive,
                        .accepted = std::max(grant.accepted, entry->guard.accepted),
                        .last_used_ms = unix_ms(parts_.clock.wall())};
        guard = entry->guard;
    }
    if (parts_.journal != nullptr && !parts_.journal->record(entry->key, guard)) parts_.metrics.journal_failures.add();
    entry->buffer.publish(grant.range, run);
    parts_.listener.key_found(entry);
    {
        const std::lock_guard lock(entry->mutex);
        // Who began to wait while the store was asked tells that the step is too small; on first use it tells nothing.
        if (!wait_counted && entry->ranges > 1 && !entry->waiters.empty()) entry->somebody_waited = true;
    }
    end_refill(*entry);
}

// Lets the next refill begin, and those who wait take again.
void Refiller::end_refill(KeyEntry& entry) {
    entry.refilling.store(false, std::memory_order_release);
    const std::lock_guard lock(entry.mutex);
    for (Waiter* waiter : entry.waiters) waiter->wake();
    entry.waiters.clear();
}

void Refiller::refuse(const std::shared_ptr<KeyEntry>& entry, const Error& error) {
    parts_.metrics.refill_failures.add();
    if (error.code == errc::store_went_backwards) parts_.metrics.went_backwards.add();
    if (error.code == errc::key_not_found) {
        entry->removed = true;
        (void)entry->buffer.close();
        parts_.listener.key_missing(entry);
        fail_waiters(*entry, error);
        return;  // the entry keeps its refilling flag for ever
    }
    std::chrono::nanoseconds pause{};
    {
        const std::lock_guard lock(entry->mutex);
        if (!entry->trouble) {
            spdlog::error("key '{}': no new range, {}: {}", entry->key, code_name(error.code), error.detail);
            entry->trouble = std::make_unique<KeyTrouble>(KeyTrouble{error, Backoff(std::random_device()())});
        }
        entry->trouble->error = error;
        pause = entry->trouble->backoff.next();
    }
    parts_.listener.key_found(entry);
    fail_waiters(*entry, error);
    rest(entry, pause);
}

void Refiller::release(Turn turn) {
    {
        const std::lock_guard lock(mutex_);
        health_.release(turn);
    }
    wake_.notify_all();
}

void Refiller::report(Turn turn, const Error* failure) {
    bool back = false;
    {
        const std::lock_guard lock(mutex_);
        const SteadyTime now = parts_.clock.steady();
        if (failure != nullptr) {
            if (health_.failed(turn, now)) {
                spdlog::warn("segment store away: {}: {}; ranges in memory are served on", parts_.store.identity(),
                             failure->detail);
            }
        } else {
            back = !std::exchange(answered_once_, true);
            if (const auto outage = health_.succeeded(now)) {
                back = true;
                spdlog::info("segment store back: {}: after {:.1f} s and {} failed calls", parts_.store.identity(),
                             seconds(outage->lasted), outage->failures);
            }
        }
        parts_.metrics.store_up.set(health_.away() ? 0 : 1);
    }
    wake_.notify_all();
    if (back) parts_.listener.store_back();
}

void Refiller::rest(const std::shared_ptr<KeyEntry>& entry, std::chrono::nanoseconds how_long) {
    {
        const std::lock_guard lock(mutex_);
        resting_.emplace(parts_.clock.steady() + how_long, entry);
    }
    wake_.notify_all();
}

void Refiller::keep_time() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const SteadyTime now = parts_.clock.steady();
        while (!resting_.empty() && resting_.begin()->first <= now) {
            resting_.begin()->second->refilling.store(false, std::memory_order_release);
            resting_.erase(resting_.begin());
        }
        // While the store is away this lets one of them through, as the probe; once it is back, all of them.
        while (!parked_.empty()) {
            const Turn turn = health_.ask(now);
            if (turn == Turn::wait) break;
            post(std::move(parked_.front()), turn);
            parked_.pop_front();
        }
        std::chrono::nanoseconds nap = longest_nap;
        if (!resting_.empty()) nap = std::min(nap, resting_.begin()->first - now);
        if (const auto probe = health_.next_probe(); probe && !parked_.empty()) nap = std::min(nap, *probe - now);
        wake_.wait_for(lock, nap);
    }
}

bool Refiller::stop(std::chrono::milliseconds patience) {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        parked_.clear();
        resting_.clear();
    }
    wake_.notify_all();
    if (timekeeper_.joinable()) timekeeper_.join();
    return pool_.stop(patience);
}

}  // namespace frond::segment
