// Whether the store answers, and when to ask it again: the one place that decides about back-off and log lines.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

namespace frond::segment {

// Delays of 50 ms doubling to 5 s, each cut at random to between a half and the whole of it.
class Backoff {
public:
    explicit Backoff(std::uint64_t seed) : random_(seed) {}
    std::chrono::nanoseconds next();
    void reset() noexcept { delay_ = first; }

private:
    static constexpr std::chrono::nanoseconds first = std::chrono::milliseconds(50);
    static constexpr std::chrono::nanoseconds last = std::chrono::seconds(5);

    std::chrono::nanoseconds delay_ = first;
    std::minstd_rand random_;
};

// Pure: time is an argument. Not thread-safe; its owner locks.
//
// Healthy: every call may go to the store. After a failure the store is away: one caller at a time may probe it, no
// earlier than next_probe(); all others are kept back until a call succeeds.
class StoreHealth {
public:
    explicit StoreHealth(std::uint64_t seed) : backoff_(seed) {}

    // Whether a call may be made now; `probe` makes the caller the prober, who must report or release.
    enum class Turn { wait, call, probe };
    Turn ask(SteadyTime now);
    // No call was made after all.
    void release(Turn turn) noexcept;
    // True when this failure begins the trouble. Only the prober's failure ends the probe: calls that were under way
    // when the trouble began fail one by one.
    bool failed(Turn turn, SteadyTime now);
    // How long the store was away and how many calls failed, when this success ends the trouble.
    struct Outage {
        std::chrono::nanoseconds lasted;
        std::uint64_t failures;
    };
    std::optional<Outage> succeeded(SteadyTime now);

    [[nodiscard]] bool away() const noexcept { return since_.has_value(); }
    // When to probe next; nothing while healthy or while a probe is under way.
    [[nodiscard]] std::optional<SteadyTime> next_probe() const noexcept;

private:
    Backoff backoff_;
    std::optional<SteadyTime> since_;
    SteadyTime next_probe_{};
    std::uint64_t failures_ = 0;
    bool probing_ = false;
};

}  // namespace frond::segment
