// Segment mode: IDs by key out of ranges that the store gives.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"
#include "segment/journal.hpp"
#include "segment/key_table.hpp"
#include "segment/metrics.hpp"
#include "segment/negative_cache.hpp"
#include "segment/refiller.hpp"
#include "segment/store.hpp"

#include <frond/result.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace frond::segment {

struct SegmentOptions {
    std::chrono::milliseconds refresh_interval{60'000};
    std::chrono::milliseconds refill_timeout{2'000};  // how long a take waits for a range
    std::size_t max_waiters = 10'000;                 // over all keys
    std::size_t store_threads = 4;                    // calls to the store at a time
    std::int64_t max_batch = 100'000;                 // IDs of the largest take
};

// What /readyz?verbose says. `reason` is empty while ready.
struct SegmentStatus {
    bool ready = false;
    std::string reason;
};

// Thread-safe. try_take() takes no lock, allocates nothing and makes no system call, save the one take that finds 10 %
// of the last range used and asks for the next one.
class SegmentService final : private RefillListener {
public:
    // `store`, `clock` and `metrics` outlive the service; `journal` may be null.
    SegmentService(SegmentStore& store, const Clock& clock, SegmentMetrics& metrics, std::unique_ptr<Journal> journal,
                   const SegmentOptions& options);
    // Waits for calls under way, however long, and hands nothing back; stop() first.
    ~SegmentService() override;
    SegmentService(const SegmentService&) = delete;
    SegmentService& operator=(const SegmentService&) = delete;

    // Begins: looks at the store, loads the keys of the last hour. Returns at once.
    void start();

    // Takes n IDs (1 to max_batch) of a valid key if they are in memory. False: take() may have to wait for them.
    bool try_take(std::string_view key, std::uint64_t n, Taken& out);

    // Takes n IDs, waiting for ranges up to refill_timeout. Runs on the caller's I/O thread. Errors: key_not_found,
    // key_misconfigured, key_exhausted, store_went_backwards, segment_unavailable.
    awaitable<Result<Taken>> take(std::string key, std::uint64_t n);

    // Whether the first look at the store has ended, well or not.
    [[nodiscard]] bool started() const noexcept { return started_.load(std::memory_order_acquire); }
    [[nodiscard]] SegmentStatus status() const;

    // After the last take: no more refills, then hands the unused tails back, the latest range first. Ends within about
    // `patience`; what could not be handed back is a gap. False when a call to the store hangs: its thread still uses
    // the service, which then must not be destroyed before the process ends.
    bool stop(std::chrono::milliseconds patience);

private:
    class TakeWaiter;

    void key_found(const std::shared_ptr<KeyEntry>& entry) override;
    void key_missing(const std::shared_ptr<KeyEntry>& entry) override;
    void key_abandoned(const std::shared_ptr<KeyEntry>& entry) override;
    void store_back() override;

    [[nodiscard]] Result<std::shared_ptr<KeyEntry>> find_or_begin(const std::string& key);
    [[nodiscard]] std::shared_ptr<KeyEntry> make_entry(std::string key, KeyEntry* earlier) const;
    [[nodiscard]] Result<bool> enlist(const std::shared_ptr<KeyEntry>& entry, TakeWaiter& waiter);
    [[nodiscard]] Error refused(Error error);
    Result<void> look_at_store();
    void list(const std::shared_ptr<KeyEntry>& entry);
    void preload();
    [[nodiscard]] std::shared_ptr<KeyEntry> begin_preload(const std::string& key);
    void note_preloaded(KeyEntry& entry);
    void end_preload();
    Result<void> drop_removed_keys();
    void drop_if_unchanged(KeyEntry& entry, SteadyTime since);
    void note_use();
    void keep_house(SteadyTime began);
    bool halt(std::chrono::milliseconds patience);
    [[nodiscard]] bool hand_all_back(SteadyTime deadline);
    [[nodiscard]] bool hand_back(KeyEntry& entry);
    void lower_guard(KeyEntry& entry, const Range& tail);

    SegmentStore& store_;
    const Clock& clock_;
    SegmentMetrics& metrics_;
    const std::unique_ptr<Journal> journal_;
    const SegmentOptions options_;

    KeyTable table_;
    std::mutex pending_mutex_;
    std::unordered_map<std::string, std::shared_ptr<KeyEntry>> pending_;  // asked for, not yet seen in the store
    NegativeCache negative_;

    std::atomic<bool> started_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<std::size_t> preloading_{0};
    std::atomic<bool> refreshing_{false};
    std::mutex house_mutex_;
    std::condition_variable house_wake_;
    std::thread housekeeper_;
    Refiller refiller_;  // last: its threads call the above
};

}  // namespace frond::segment
