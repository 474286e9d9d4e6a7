// Simulated time, and what happens in it.
#pragma once

#include <algorithm>
#include <cstddef>
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
        events_.push_back({std::max(time, now_), added_++, keep(std::move(action))});
        std::push_heap(events_.begin(), events_.end(), later);
    }
    void after(Time delay, Action action) { at(now_ + delay, std::move(action)); }

    // Carries out the next action that is due at `end` or before; false when there is none.
    bool run_one(Time end) {
        if (events_.empty() || events_.front().time > end) return false;
        std::pop_heap(events_.begin(), events_.end(), later);
        const Event event = events_.back();
        events_.pop_back();
        const Action action = std::move(actions_[event.action]);
        free_.push_back(event.action);
        now_ = event.time;
        action();
        return true;
    }

    [[nodiscard]] std::uint64_t added() const noexcept { return added_; }

private:
    struct Event {
        Time time;
        std::uint64_t order;
        std::size_t action;  // index of actions_, so that the heap moves small things
    };
    std::size_t keep(Action action) {
        if (free_.empty()) {
            actions_.push_back(std::move(action));
            return actions_.size() - 1;
        }
        const std::size_t index = free_.back();
        free_.pop_back();
        actions_[index] = std::move(action);
        return index;
    }
    static bool later(const Event& a, const Event& b) noexcept {
        return a.time != b.time ? a.time > b.time : a.order > b.order;
    }

    std::vector<Event> events_;
    std::vector<Action> actions_;
    std::vector<std::size_t> free_;  // places in actions_
    std::uint64_t added_ = 0;
    Time now_ = 0;
};

}  // namespace frond::sim
