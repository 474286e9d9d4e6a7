// Brings ranges from the store into the buffers: one refill at a time for each key, with back-off, guard and journal.
#pragma once

#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "segment/journal.hpp"
#include "segment/key_entry.hpp"
#include "segment/metrics.hpp"
#include "segment/store.hpp"
#include "segment/store_health.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace frond::segment {

// What a refill tells its owner, on a pool thread. Both are called before waiters are woken.
class RefillListener {
public:
    virtual ~RefillListener() = default;
    // The row exists: a range came, or an error that only an existing row can have.
    virtual void key_found(const std::shared_ptr<KeyEntry>& entry) = 0;
    // No such row. The entry never issues again.
    virtual void key_missing(const std::shared_ptr<KeyEntry>& entry) = 0;
    // Nobody waits any more for a key that was never found: the store was not asked. The entry never issues.
    virtual void key_abandoned(const std::shared_ptr<KeyEntry>& entry) = 0;
    // The store answered after it had been away, or for the first time.
    virtual void store_back() = 0;
};

// Thread-safe. Store calls run on the pool; a thread of its own (the timekeeper) watches the times of probes and
// retries. While the store is away, all calls but one probe are parked and cost the store nothing.
class Refiller {
public:
    struct Parts {
        SegmentStore& store;
        const Clock& clock;
        SegmentMetrics& metrics;
        RefillListener& listener;
        Journal* journal;  // may be null
        std::size_t threads;
        std::int64_t max_batch;  // IDs of the largest take
    };
    explicit Refiller(const Parts& parts);
    // Waits for calls under way, however long, unless stop() has given them up.
    ~Refiller();
    Refiller(const Refiller&) = delete;
    Refiller& operator=(const Refiller&) = delete;

    // Wants a refill of the key; does nothing when one is under way or resting. Cheap enough for the hot path.
    void kick(KeyEntry& entry);

    // Runs another store call on the pool under the same rules, now or when the store is back. errc::store_unavailable
    // is what counts as no answer; the call is then made again.
    void run(std::function<Result<void>()> call);

    // Whether the store is away or has not answered yet.
    [[nodiscard]] bool store_away() const;

    // Ends the timekeeper, drops what is parked or queued and waits at most `patience` for calls under way. False when
    // the store still holds one.
    bool stop(std::chrono::milliseconds patience);

private:
    using Turn = StoreHealth::Turn;
    using Job = std::function<void(Turn)>;  // makes one call to the store and reports, or releases its turn

    void submit(Job job);
    void post(Job job, Turn turn);
    void begin(Job job, Turn turn);
    void refill(const std::shared_ptr<KeyEntry>& entry, Turn turn);
    void accept(const std::shared_ptr<KeyEntry>& entry, const StepRequest& request, const Grant& grant, const Run& run);
    static void end_refill(KeyEntry& entry);
    void refuse(const std::shared_ptr<KeyEntry>& entry, const Error& error);
    [[nodiscard]] StepRequest request_for(KeyEntry& entry) const;
    void report(Turn turn, const Error* failure);
    void release(Turn turn);
    void rest(const std::shared_ptr<KeyEntry>& entry, std::chrono::nanoseconds how_long);
    void keep_time();

    const Parts parts_;

    mutable std::mutex mutex_;  // of everything up to `stopping_`
    std::condition_variable wake_;
    StoreHealth health_;
    std::deque<Job> parked_;
    std::multimap<SteadyTime, std::shared_ptr<KeyEntry>> resting_;
    bool answered_once_ = false;
    bool stopping_ = false;

    BlockingPool pool_;
    std::thread timekeeper_;
};

}  // namespace frond::segment
