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
// thread that steers it. Time as seen by one thread does not go backwards, save by the 488 ppm of the moment between
// the look at the clocks that changes the slew and its publication (nanoseconds); whoever needs more keeps the highest
// time seen, as the generator does. `clock` outlives it.
class DisciplinedClock {
public:
    // Starts at the wall clock. `agreement_ms` as ClockDiscipline has it.
    explicit DisciplinedClock(const Clock& clock, std::int64_t agreement_ms = ClockDiscipline::follow_ms) noexcept;

    // ms since the Unix epoch. Any thread; no lock, no allocation.
    [[nodiscard]] std::int64_t now_ms() const noexcept {
        return read([this] { return clock_.steady(); });
    }
    [[nodiscard]] std::int64_t at_ms(SteadyTime steady) const noexcept {
        return read([steady] { return steady; });
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
    // A line as atomics.
    struct alignas(64) Slot {
        std::atomic<std::int64_t> anchor_steady_ns{0};
        std::atomic<std::int64_t> anchor_ms{0};
        std::atomic<std::int64_t> anchor_rest_ns{0};
        std::atomic<std::int64_t> slew{0};
    };
    // The writer fills the next slot while readers use the present one.
    static constexpr std::size_t slots = 4;

    template <class ReadSteady>
    [[nodiscard]] std::int64_t read(ReadSteady read_steady) const noexcept;
    void publish(const ClockLine& line) noexcept;

    const Clock& clock_;
    const std::int64_t agreement_ms_;
    ClockDiscipline discipline_;
    std::array<Slot, slots> lines_;
    std::atomic<std::uint64_t> current_{0};  // number of the present line; its slot is that modulo `slots`
};

template <class ReadSteady>
std::int64_t DisciplinedClock::read(ReadSteady read_steady) const noexcept {
    for (;;) {
        const std::uint64_t number = current_.load(std::memory_order_acquire);
        const std::int64_t steady_ns = read_steady().time_since_epoch().count();
        const Slot& slot = lines_[number % slots];
        // Acquire on each: a value of a later line brings the changed number with it.
        const ClockLine line{
            slot.anchor_steady_ns.load(std::memory_order_acquire), slot.anchor_ms.load(std::memory_order_acquire),
            slot.anchor_rest_ns.load(std::memory_order_acquire), slot.slew.load(std::memory_order_acquire)};
        // The same line before and after the clock was read: none is used for a time at which it was over.
        if (current_.load(std::memory_order_relaxed) == number) return line.at(steady_ns);
    }
}

}  // namespace frond::snowflake
