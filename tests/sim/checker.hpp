// Watches a run from outside, with knowledge that no instance has, and says when a promise is broken.
#pragma once

#include "sim/event_queue.hpp"
#include "sim/scenario.hpp"
#include "worker/lease_record.hpp"

#include <frond/snowflake_generator.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace frond::sim {

enum class Property : std::uint8_t {
    unique,    // no (worker ID, tick) is issued twice
    fenced,    // no ID lies above all fences that its owner's writes put into the record
    monotone,  // no fence decreases, save on release
    foreign,   // a record that Frond did not make is not written
    few,       // no number is created while many can be had
    alive,     // a healthy instance issues
    quiet,     // nobody spins
};
[[nodiscard]] std::string_view name_of(Property property);

struct Violation {
    Property property;
    Time time;
    std::string text;
};

// Used by one thread.
class Checker {
public:
    // With `only_unique`, nothing else is checked: for mutations, which shall be caught by what they do in the end.
    Checker(const worker::LeaseSpace& space, bool only_unique) : space_(space), only_unique_(only_unique) {}

    // A process that issues; a copy of its memory belongs to the same family.
    struct Taker {
        int instance;
        std::size_t process;
        std::size_t family;
    };
    [[nodiscard]] Taker new_taker(int instance);
    // The memory of `original` was copied to `instance`. Up to `shared_until`, the highest fence that it had asked for,
    // nothing can keep the two from repeating IDs, nor from repeating those of whoever gets what one of them released.
    [[nodiscard]] Taker copy_taker(const Taker& original, int instance, std::int64_t shared_until);

    void issued(Time now, const Taker& taker, std::int64_t worker_id, const TickRun& run);
    // A record was written by `instance`; `before` is what it replaced, or null.
    void committed(Time now, int instance, std::int64_t number, const worker::LeaseRecord* before,
                   const worker::LeaseRecord& after);
    void fail(Time now, Property property, std::string text);

    // The first one; a run ends with it.
    [[nodiscard]] const std::optional<Violation>& violation() const noexcept { return violation_; }
    [[nodiscard]] std::uint64_t ids() const noexcept { return ids_; }

private:
    struct Taken {
        std::uint64_t end;  // one after the last tick
        Taker taker;
        Time time;
    };
    using Ticks = std::map<std::uint64_t, Taken>;  // by first tick; they do not overlap
    struct Family {
        std::int64_t shared_until = INT64_MIN;
        bool copied = false;
    };
    struct Number {
        Ticks taken;
        std::array<std::int64_t, most_instances> fence;
        Number() { fence.fill(INT64_MIN); }
    };

    Number& number(std::int64_t index);
    void add(Time now, const Taker& taker, std::int64_t worker_id, const TickRun& run);
    void insert(Ticks& taken, std::uint64_t first, const Taken& run);
    [[nodiscard]] bool may_repeat(const Taker& first, const Taker& second, std::uint64_t last_tick) const;
    void check_fence(Time now, const Taker& taker, std::int64_t worker_id, const TickRun& run);
    [[nodiscard]] std::int64_t ms_of(std::uint64_t tick) const;

    const worker::LeaseSpace space_;
    const bool only_unique_;
    std::vector<Number> numbers_;
    std::vector<Family> families_;
    std::size_t processes_ = 0;
    std::uint64_t ids_ = 0;
    std::optional<Violation> violation_;
};

}  // namespace frond::sim
