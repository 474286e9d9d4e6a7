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

    void issued(Time now, int instance, std::int64_t worker_id, const TickRun& run);
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
        int instance;
        Time time;
    };
    struct Number {
        std::map<std::uint64_t, Taken> taken;  // by first tick; they do not overlap
        std::array<std::int64_t, most_instances> fence;
        Number() { fence.fill(INT64_MIN); }
    };

    Number& number(std::int64_t index);
    void add(Time now, int instance, std::int64_t worker_id, const TickRun& run);
    void check_fence(Time now, int instance, std::int64_t worker_id, const TickRun& run);

    const worker::LeaseSpace space_;
    const bool only_unique_;
    std::vector<Number> numbers_;
    std::uint64_t ids_ = 0;
    std::optional<Violation> violation_;
};

}  // namespace frond::sim
