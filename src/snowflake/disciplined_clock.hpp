// The time by which IDs are made: wall time that no step of the wall clock moves.
#pragma once

#include "base/clock.hpp"
#include "snowflake/clock_discipline.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace frond::snowflake {

// The wall clock and the steady clock of one moment.
struct ClockReading {
    WallTime wall;
    SteadyTime steady;
};
// Reads both at most 1 ms apart, or as close as a few tries get.
[[nodiscard]] ClockReading read_clocks(const Clock& clock) noexcept;

// A ClockDiscipline that any thread can read at the cost of one reading of the steady clock, without waiting for the
// thread that steers it. Time as seen by one thread does not go backwards, save by 488 ppm of the time between a change
// of slew and the end of a reading that had begun before it (microseconds at most, as long as no thread is suspended
// there); whoever needs more keeps the highest time seen, as the generator does. `clock` outlives it.
class DisciplinedClock {
public:
    // Starts at the wall clock.
    explicit DisciplinedClock(const Clock& clock) noexcept;

    // ms since the Unix epoch. Any thread; no lock, no allocation.
    [[nodiscard]] std::int64_t now_ms() const noexcept {
        const ClockLine now_line = line();
        return now_line.at(clock_.steady().time_since_epoch().count());
    }
    [[nodiscard]] std::int64_t at_ms(SteadyTime steady) const noexcept {
        return line().at(steady.time_since_epoch().count());
    }

    // The rest by one thread at a time, the one that steers.
    // To be called every few seconds at least, with a pair from read_clocks().
    ClockObservation observe(const ClockReading& reading) noexcept;
    // See ClockDiscipline::offer_reference().
    void offer_reference(WallTime reference, SteadyTime steady) noexcept {
        discipline_.offer_reference(reference, steady);
    }
    // Begins anew at the wall clock, wherever that is: only while no ID depends on this clock.
    void restart(const ClockReading& reading) noexcept;

private:
    // A line as atomics. `version` says which publication it belongs to; 0 while it is being written.
    struct alignas(64) Slot {
        std::atomic<std::uint64_t> version{0};
        std::atomic<std::int64_t> anchor_steady_ns{0};
        std::atomic<std::int64_t> anchor_ms{0};
        std::atomic<std::int64_t> anchor_rest_ns{0};
        std::atomic<std::int64_t> slew{0};
    };
    // The writer fills the next slot while readers use the present one; a reader that slept through a whole round
    // notices and looks again.
    static constexpr std::size_t slots = 4;

    [[nodiscard]] ClockLine line() const noexcept;
    void publish(const ClockLine& line) noexcept;

    const Clock& clock_;
    ClockDiscipline discipline_;
    std::array<Slot, slots> lines_;
    std::atomic<std::uint64_t> current_{0};  // version of the slot to read
};

inline ClockLine DisciplinedClock::line() const noexcept {
    for (;;) {
        const std::uint64_t version = current_.load(std::memory_order_acquire);
        const Slot& slot = lines_[version % slots];
        // Acquire on each: a value of a later round brings the changed version with it.
        const ClockLine line{
            slot.anchor_steady_ns.load(std::memory_order_acquire), slot.anchor_ms.load(std::memory_order_acquire),
            slot.anchor_rest_ns.load(std::memory_order_acquire), slot.slew.load(std::memory_order_acquire)};
        if (slot.version.load(std::memory_order_relaxed) == version) return line;
    }
}

}  // namespace frond::snowflake
