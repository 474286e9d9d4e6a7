// Simulated time, and what happens in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace frond::sim {

// True time in ms since the simulation began. No instance ever sees it: they have clocks.
using Time = std::int64_t;

// Actions in order of time; those of one time in the order in which they were added. Used by one thread.
class EventQueue {
public:
    using Action = std::function<void()>;

    [[nodiscard]] Time now() const noexcept { return now_; }

    // A time that has passed means now.
    void at(Time time, Action action) {
        events_.push_back({std::max(time, now_), added_++, std::move(action)});
        std::push_heap(events_.begin(), events_.end(), later);
    }
    void after(Time delay, Action action) { at(now_ + delay, std::move(action)); }

    // Carries out the next action that is due at `end` or before; false when there is none.
    bool run_one(Time end) {
        if (events_.empty() || events_.front().time > end) return false;
        std::pop_heap(events_.begin(), events_.end(), later);
        const Event event = std::move(events_.back());
        events_.pop_back();
        now_ = event.time;
        event.action();
        return true;
    }

    [[nodiscard]] std::uint64_t added() const noexcept { return added_; }

private:
    struct Event {
        Time time;
        std::uint64_t order;
        Action action;
    };
    static bool later(const Event& a, const Event& b) noexcept {
        return a.time != b.time ? a.time > b.time : a.order > b.order;
    }

    std::vector<Event> events_;
    std::uint64_t added_ = 0;
    Time now_ = 0;
};

}  // namespace frond::sim
