// Clocks that move only when a test says so. Thread-safe.
#pragma once

#include "base/clock.hpp"

#include <atomic>
#include <chrono>

namespace frond::test {

class FakeClock final : public Clock {
public:
    static constexpr std::int64_t start_ms = 1'700'000'000'000;

    [[nodiscard]] WallTime wall() const noexcept override { return wall_time(wall_ms_.load()); }
    [[nodiscard]] SteadyTime steady() const noexcept override {
        return SteadyTime(std::chrono::milliseconds(steady_ms_.load()));
    }

    // Time goes by on both clocks.
    void advance(std::chrono::milliseconds by) {
        steady_ms_ += by.count();
        wall_ms_ += by.count();
    }
    // Somebody sets the wall clock.
    void step(std::chrono::milliseconds by) { wall_ms_ += by.count(); }
    void set_wall_ms(std::int64_t ms) { wall_ms_ = ms; }

    [[nodiscard]] std::int64_t wall_ms() const { return wall_ms_.load(); }

private:
    std::atomic<std::int64_t> wall_ms_{start_ms};
    std::atomic<std::int64_t> steady_ms_{50'000};
};

}  // namespace frond::test
