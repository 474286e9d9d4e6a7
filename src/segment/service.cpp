#include "segment/service.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <future>
#include <unordered_set>
#include <utility>

namespace frond::segment {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds missing_keys_kept{1};
constexpr std::size_t missing_keys_at_most = 10'000;
constexpr std::chrono::hours preload_used_within{1};
constexpr std::size_t preload_at_most = 1'000;
// So that the journal knows a key in use whose range lasts longer than an hour.
constexpr std::chrono::minutes use_noted_every{10};

constexpr std::chrono::hours for_ever{24 * 365};
constexpr std::chrono::milliseconds last_call_ends_within{100};

// Whether the key was given a range at or after `time`.
bool added_since(KeyEntry& entry, SteadyTime time) {
    const std::lock_guard lock(entry.mutex);
    return entry.ranges > 0 && entry.last_range >= time;
}

using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

}  // namespace

// A coroutine that waits for a range. Lives in its frame, which may outlive the service; the timer is shared with
// wake-ups that are on their way.
class SegmentService::TakeWaiter final : public Waiter {
public:
    TakeWaiter(const Executor& executor, std::chrono::steady_clock::time_point deadline, Gauge& waiting)
        : waiting_(waiting), timer_(std::make_shared<Timer>(executor, deadline)) {}
    ~TakeWaiter() override { leave(); }
    TakeWaiter(const TakeWaiter&) = delete;
    TakeWaiter& operator=(const TakeWaiter&) = delete;

    void wake() override {
        // The list that holds us is emptied by the caller.
        asio::post(timer_->get_executor(), [timer = timer_] { timer->cancel(); });
    }

    // Called with the entry's mutex held.
    void join(std::shared_ptr<KeyEntry> entry) {
        entry->waiters.push_back(this);
        entry_ = std::move(entry);
        waiting_.add(1);
    }

    void leave() {
        if (!entry_) return;
        {
            const std::lock_guard lock(entry_->mutex);
            std::erase(entry_->waiters, this);
        }
        entry_.reset();
        waiting_.add(-1);
    }

    [[nodiscard]] Timer& timer() { return *timer_; }

private:
    Gauge& waiting_;
    std::shared_ptr<Timer> timer_;
    std::shared_ptr<KeyEntry> entry_;
};

SegmentService::SegmentService(SegmentStore& store, const Clock& clock, SegmentMetrics& metrics,
                               std::unique_ptr<Journal> journal, const SegmentOptions& options)
    : store_(store),
      clock_(clock),
      metrics_(metrics),
      journal_(std::move(journal)),
      options_(options),
      negative_(missing_keys_kept, missing_keys_at_most),
      refiller_({.store = store,
                 .clock = clock,
                 .metrics = metrics,
                 .listener = *this,
                 .journal = journal_.get(),
                 .threads = options.store_threads,
                 .max_batch = options.max_batch}) {}

SegmentService::~SegmentService() {
    if (!stopping_.exchange(true)) halt(for_ever);
}

void SegmentService::start() {
    refiller_.run([this] { return look_at_store(); });
    housekeeper_ = std::thread([this, began = clock_.steady()] { keep_house(began); });
}

bool SegmentService::try_take(std::string_view key, std::uint64_t n, Taken& out) {
    KeyEntry* entry = table_.find(key);
    if (entry == nullptr || !entry->buffer.take(n, out)) return false;
    if (out.wants_refill) refiller_.kick(*entry);
    metrics_.ids_issued.add(n);
    return true;
}

awaitable<Result<Taken>> SegmentService::take(std::string key, std::uint64_t n) {
    const auto deadline = std::chrono::steady_clock::now() + options_.refill_timeout;
    const Executor executor = co_await asio::this_coro::executor;
    bool waited = false;
    for (;;) {
        Taken out;
        if (try_take(key, n, out)) co_return out;

        Result<std::shared_ptr<KeyEntry>> entry = find_or_begin(key);
        if (!entry) co_return refused(entry.error());
        TakeWaiter waiter(executor, deadline, metrics_.waiting);
        waiter.wanted = n;
        const Result<bool> enlisted = enlist(*entry, waiter);
        if (!enlisted) co_return refused(enlisted.error());
        if (!*enlisted) continue;
        // A range may have come between the look and the entry in the list.
        if (try_take(key, n, out)) co_return out;
        refiller_.kick(**entry);
        if (!std::exchange(waited, true)) metrics_.waits.add();

        boost::system::error_code woken;
        co_await waiter.timer().async_wait(asio::redirect_error(use_awaitable, woken));
        waiter.leave();
        if (waiter.error) co_return refused(std::move(*waiter.error));
        if (try_take(key, n, out)) co_return out;
        if (std::chrono::steady_clock::now() >= deadline) {
            co_return refused(Error(errc::segment_unavailable, "no range arrived in time"));
        }
    }
}

Error SegmentService::refused(Error error) {
    metrics_.refused.add();
    return error;
}

// The entry of a key, or a new one that waits to be seen in the store.
Result<std::shared_ptr<KeyEntry>> SegmentService::find_or_begin(const std::string& key) {
    if (negative_.contains(key, clock_.steady())) return Error(errc::key_not_found, "no such key");
    const std::lock_guard lock(pending_mutex_);
    KeyEntry* known = table_.find(key);
    if (known != nullptr && !known->removed) return known->shared_from_this();
    const auto found = pending_.find(key);
    if (found != pending_.end() && !found->second->removed) return found->second;
    if (pending_.size() >= options_.max_waiters) {
        return Error(errc::segment_unavailable, "too many keys are waiting for their first range");
    }
    return pending_.insert_or_assign(key, make_entry(key, known)).first->second;
}

// `earlier` is the entry that the new one replaces, or null: a row that is removed and made again is under its guard.
std::shared_ptr<KeyEntry> SegmentService::make_entry(std::string key, KeyEntry* earlier) const {
    auto entry = std::make_shared<KeyEntry>(std::move(key));
    if (earlier != nullptr) {
        const std::lock_guard lock(earlier->mutex);
        entry->guard = earlier->guard;
    } else if (journal_) {
        entry->guard = journal_->find(entry->key);
    }
    return entry;
}

// Puts the caller among those who wait; false when the entry has just been given up and another is to be found.
Result<bool> SegmentService::enlist(const std::shared_ptr<KeyEntry>& entry, TakeWaiter& waiter) {
    if (stopping_) return errc::draining;
    if (metrics_.waiting.value() >= static_cast<std::int64_t>(options_.max_waiters)) {
        return Error(errc::segment_unavailable, "too many requests are waiting for a range");
    }
    const std::lock_guard lock(entry->mutex);
    if (entry->removed) return false;
    // In trouble and resting: asking again would bring the same answer.
    if (entry->trouble && entry->refilling) return entry->trouble->error;
    waiter.join(entry);
    return true;
}

void SegmentService::key_found(const std::shared_ptr<KeyEntry>& entry) {
    note_preloaded(*entry);
    list(entry);
}

void SegmentService::list(const std::shared_ptr<KeyEntry>& entry) {
    if (entry->listed.exchange(true)) return;
    const std::lock_guard lock(pending_mutex_);
    table_.insert(entry);
    pending_.erase(entry->key);
    metrics_.keys.add(1);
}

void SegmentService::key_missing(const std::shared_ptr<KeyEntry>& entry) {
    note_preloaded(*entry);
    negative_.add(entry->key, clock_.steady());
    key_abandoned(entry);
    if (entry->listed) {
        spdlog::info("key '{}': its row is gone or disabled, it is no longer served", entry->key);
        metrics_.keys.add(-1);
    }
}

void SegmentService::key_abandoned(const std::shared_ptr<KeyEntry>& entry) {
    const std::lock_guard lock(pending_mutex_);
    const auto found = pending_.find(entry->key);
    if (found != pending_.end() && found->second == entry) pending_.erase(found);
}

void SegmentService::store_back() {
    const Result<std::vector<std::string>> warnings = store_.durability_warnings();
    if (!warnings) return;
    for (const std::string& warning : *warnings) spdlog::warn("segment store {}: {}", store_.identity(), warning);
}

Result<void> SegmentService::look_at_store() {
    const Result<std::vector<std::string>> keys = store_.keys();
    if (!keys) {
        started_ = true;  // and goes on trying
        return keys.error();
    }
    preload();
    return {};
}

// Keys of the last hour get their first range before the server is ready. They count as asked for at once, so that a
// request for one of them joins the same refill.
void SegmentService::preload() {
    std::vector<std::string> recent;
    if (journal_) recent = journal_->used_since(unix_ms(clock_.wall() - preload_used_within), preload_at_most);
    preloading_ = recent.size() + 1;  // and this function
    for (const std::string& key : recent) {
        if (const auto entry = begin_preload(key)) {
            refiller_.kick(*entry);
        } else {
            end_preload();
        }
    }
    end_preload();
}

// Null when somebody has asked for the key already.
std::shared_ptr<KeyEntry> SegmentService::begin_preload(const std::string& key) {
    const std::lock_guard lock(pending_mutex_);
    if (table_.find(key) != nullptr || pending_.contains(key)) return nullptr;
    auto entry = make_entry(key, nullptr);
    entry->preloading = true;
    pending_.emplace(key, entry);
    return entry;
}

void SegmentService::note_preloaded(KeyEntry& entry) {
    if (entry.preloading.exchange(false)) end_preload();
}

void SegmentService::end_preload() {
    if (preloading_.fetch_sub(1) == 1) started_ = true;
}

void SegmentService::keep_house(SteadyTime began) {
    SteadyTime next_round = began + options_.refresh_interval;
    std::unique_lock lock(house_mutex_);
    while (!stopping_) {
        house_wake_.wait_for(lock, std::chrono::seconds(1));
        const SteadyTime now = clock_.steady();
        // A store that hangs must not keep the other mode from being ready.
        if (now - began >= options_.refill_timeout) started_ = true;
        if (now < next_round || stopping_) continue;
        next_round = now + options_.refresh_interval;
        note_use();
        if (!refreshing_.exchange(true)) refiller_.run([this] { return drop_removed_keys(); });
    }
}

// Keys whose row is gone stop, also when the table is empty.
Result<void> SegmentService::drop_removed_keys() {
    const SteadyTime asked = clock_.steady();
    const Result<std::vector<std::string>> keys = store_.keys();
    if (!keys) {
        if (keys.error().code != errc::store_unavailable) refreshing_ = false;  // it is not asked again
        return keys.error();
    }
    const std::unordered_set<std::string_view> present(keys->begin(), keys->end());
    for (KeyEntry* entry : table_.all()) {
        if (!entry->removed && !present.contains(entry->key)) drop_if_unchanged(*entry, asked);
    }
    refreshing_ = false;
    return {};
}

// The row of the key was not there at `since`.
void SegmentService::drop_if_unchanged(KeyEntry& entry, SteadyTime since) {
    // A refill under way finds out for itself; this flag also makes us the only one to close the buffer.
    if (entry.refilling.exchange(true)) return;
    if (!added_since(entry, since)) {
        entry.removed = true;
        (void)entry.buffer.close();
        key_missing(entry.shared_from_this());
        fail_waiters(entry, Error(errc::key_not_found, "no such key"));
        return;
    }
    entry.refilling = false;
    // Whoever wanted a refill meanwhile was turned away by the flag.
    bool wanted = false;
    {
        const std::lock_guard lock(entry.mutex);
        wanted = !entry.waiters.empty();
    }
    if (wanted) refiller_.kick(entry);
}

void SegmentService::note_use() {
    if (!journal_) return;
    const std::int64_t now_ms = unix_ms(clock_.wall());
    for (KeyEntry* entry : table_.all()) {
        const std::lock_guard lock(entry->mutex);
        const std::uint64_t position = entry->buffer.position();
        if (entry->removed || entry->ranges == 0 || position == entry->position_seen) continue;
        entry->position_seen = position;
        if (now_ms - entry->guard.last_used_ms < std::chrono::milliseconds(use_noted_every).count()) continue;
        entry->guard.last_used_ms = now_ms;
        if (!journal_->record(entry->key, entry->guard)) metrics_.journal_failures.add();
    }
}

SegmentStatus SegmentService::status() const {
    if (!started()) return {.ready = false, .reason = "starting"};
    if (!refiller_.store_away()) return {.ready = true, .reason = {}};
    const std::vector<KeyEntry*> entries = table_.all();
    const bool something_left = std::any_of(entries.begin(), entries.end(),
                                            [](const KeyEntry* entry) { return entry->buffer.remaining() > 0; });
    if (something_left) return {.ready = true, .reason = {}};
    return {.ready = false, .reason = "the database does not answer"};
}

bool SegmentService::stop(std::chrono::milliseconds patience) {
    const SteadyTime deadline = clock_.steady() + patience;
    if (stopping_.exchange(true)) return true;
    if (!halt(patience)) return false;
    return refiller_.store_away() || hand_all_back(deadline);
}

// No more refills. False when a call to the store hangs.
bool SegmentService::halt(std::chrono::milliseconds patience) {
    { const std::lock_guard lock(house_mutex_); }
    house_wake_.notify_all();
    if (housekeeper_.joinable()) housekeeper_.join();
    return refiller_.stop(patience);
}

// False when a call to the store hangs.
bool SegmentService::hand_all_back(SteadyTime deadline) {
    // Shared with the threads, so that one that hangs may go on when the wait for it has ended.
    struct Work {
        std::vector<KeyEntry*> entries;
        std::atomic<std::size_t> next{0};
        std::atomic<std::size_t> running;
        std::promise<void> ended;
    };
    const auto work = std::make_shared<Work>();
    work->entries = table_.all();
    work->running = options_.store_threads;
    const auto share = [this, work, deadline] {
        for (;;) {
            const std::size_t i = work->next.fetch_add(1);
            if (i >= work->entries.size() || clock_.steady() >= deadline) break;
            if (!hand_back(*work->entries[i])) work->next = work->entries.size();
        }
        if (work->running.fetch_sub(1) == 1) work->ended.set_value();
    };
    BlockingPool pool("frond-hand-back", options_.store_threads);
    for (std::size_t i = 0; i < options_.store_threads; ++i) pool.post(share);
    if (work->ended.get_future().wait_for(deadline - clock_.steady()) == std::future_status::ready) return true;
    return pool.stop(last_call_ends_within);
}

// False when the store did not answer.
bool SegmentService::hand_back(KeyEntry& entry) {
    for (const Range& tail : entry.buffer.close()) {
        lower_guard(entry, tail);
        const Result<bool> taken = store_.hand_back(entry.key, tail.first, tail.last_exclusive);
        if (!taken) return taken.error().code != errc::store_unavailable;
        if (!*taken) return true;
    }
    return true;
}

// Nothing of the tail was issued or will be, so the guard may stand below it, also when the store keeps the tail. First
// of all: a table that is lower than the guard would be refused at the next start.
void SegmentService::lower_guard(KeyEntry& entry, const Range& tail) {
    const std::lock_guard lock(entry.mutex);
    entry.guard.end = tail.first;
    for (const auto& [first, before] : entry.guards_before) {
        if (first == tail.first) entry.guard.end = before;
    }
    if (journal_ && !journal_->record(entry.key, entry.guard)) metrics_.journal_failures.add();
}

}  // namespace frond::segment
