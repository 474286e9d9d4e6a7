// A segment store in memory that does as a test says: rows to edit, calls that fail, calls that hang until let go.
// Thread-safe.
#pragma once

#include "segment/range.hpp"
#include "segment/store.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace frond::segment {

class FakeStore final : public SegmentStore {
public:
    struct Row {
        std::int64_t max_id = 1;
        std::int64_t step = 1000;
        std::int64_t delta = 1;
        std::int64_t remainder = 0;
        std::int64_t max_step = default_max_step;
        std::int64_t accepted = 0;
        bool disabled = false;
    };
    // Calls so far, whatever came of them.
    struct Calls {
        int advance = 0;
        int hand_back = 0;
        int keys = 0;
    };

    void put(const std::string& key, const Row& row) {
        const std::lock_guard lock(mutex_);
        rows_[key] = row;
    }
    void remove(const std::string& key) {
        const std::lock_guard lock(mutex_);
        rows_.erase(key);
    }
    template <class Edit>
    void edit(const std::string& key, Edit change) {
        const std::lock_guard lock(mutex_);
        change(rows_.at(key));
    }
    [[nodiscard]] Row row(const std::string& key) const {
        const std::lock_guard lock(mutex_);
        return rows_.at(key);
    }

    // While away every call fails with store_unavailable.
    void set_away(bool away) {
        const std::lock_guard lock(mutex_);
        away_ = away;
    }
    // Calls hang from now on until release().
    void hold() {
        const std::lock_guard lock(mutex_);
        held_ = true;
    }
    void release() {
        {
            const std::lock_guard lock(mutex_);
            held_ = false;
        }
        changed_.notify_all();
    }

    [[nodiscard]] Calls calls() const {
        const std::lock_guard lock(mutex_);
        return calls_;
    }
    // Calls under way now, and the most there ever were at once.
    [[nodiscard]] int under_way() const {
        const std::lock_guard lock(mutex_);
        return under_way_;
    }
    [[nodiscard]] int most_under_way() const {
        const std::lock_guard lock(mutex_);
        return most_under_way_;
    }
    void forget_most_under_way() {
        const std::lock_guard lock(mutex_);
        most_under_way_ = under_way_;
    }
    // The widths of all ranges given for a key, in order.
    [[nodiscard]] std::vector<std::int64_t> widths(const std::string& key) const {
        const std::lock_guard lock(mutex_);
        const auto found = widths_.find(key);
        return found == widths_.end() ? std::vector<std::int64_t>{} : found->second;
    }

    Result<Grant> advance(std::string_view key, const StepRequest& request) override {
        std::unique_lock lock(mutex_);
        ++calls_.advance;
        const Visit visit(*this, lock);
        if (away_) return Error(errc::store_unavailable, "away");
        const auto found = rows_.find(std::string(key));
        if (found == rows_.end() || found->second.disabled) return Error(errc::key_not_found, "no row");
        Row& row = found->second;
        if (row.step < 1) return Error(errc::key_misconfigured, "step is " + std::to_string(row.step));
        if (below_guard(request, row.max_id, row.accepted)) return Error(errc::store_went_backwards, "below the guard");
        const std::int64_t width = decide_width(request, row.step, row.delta);
        if (width > INT64_MAX - row.max_id) return Error(errc::key_exhausted, "max_id is at its end");
        const Range range{row.max_id, row.max_id + width, row.delta, row.remainder};
        if (const Result<Run> run = run_of(range, key); !run) return run.error();
        row.max_id += width;
        widths_[found->first].push_back(width);
        return Grant{range, row.step, row.max_step, row.accepted};
    }

    Result<bool> hand_back(std::string_view key, std::int64_t from, std::int64_t end) override {
        std::unique_lock lock(mutex_);
        ++calls_.hand_back;
        const Visit visit(*this, lock);
        if (away_) return Error(errc::store_unavailable, "away");
        const auto found = rows_.find(std::string(key));
        if (found == rows_.end()) return Error(errc::key_not_found, "no row");
        if (found->second.max_id != end) return false;
        found->second.max_id = from;
        return true;
    }

    Result<std::vector<std::string>> keys() override {
        std::unique_lock lock(mutex_);
        ++calls_.keys;
        const Visit visit(*this, lock);
        if (away_) return Error(errc::store_unavailable, "away");
        std::vector<std::string> found;
        for (const auto& [key, row] : rows_) {
            if (!row.disabled) found.push_back(key);
        }
        return found;
    }

    Result<std::vector<std::string>> durability_warnings() override { return std::vector<std::string>{}; }
    [[nodiscard]] std::string identity() const override { return "fake"; }

private:
    // Counts a call that is under way, and hangs while the store is held.
    class Visit {
    public:
        Visit(FakeStore& store, std::unique_lock<std::mutex>& lock) : store_(store) {
            store_.most_under_way_ = std::max(store_.most_under_way_, ++store_.under_way_);
            store_.changed_.wait(lock, [this] { return !store_.held_; });
        }
        ~Visit() { --store_.under_way_; }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

    private:
        FakeStore& store_;
    };

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Row> rows_;
    std::map<std::string, std::vector<std::int64_t>> widths_;
    Calls calls_;
    int under_way_ = 0;
    int most_under_way_ = 0;
    bool away_ = false;
    bool held_ = false;
};

}  // namespace frond::segment
