// Snowflake mode: one lease's generator under the disciplined clock.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace frond::snowflake {

// IDs taken in one atomic step: the IDs of ticks first, first + 1, … first + count - 1 of one worker.
struct IdRun {
    SnowflakeLayout layout;
    std::int64_t worker_id;
    std::uint64_t first;
    std::uint64_t count;

    [[nodiscard]] std::int64_t id(std::uint64_t index) const noexcept {
        return layout.id_of_tick(first + index, worker_id);
    }
};

struct SnowflakeMetrics {
    Counter ids_issued;
    Counter waits;             // takes that had to wait for the clock
    Counter refused;           // takes that ended in an error
    Counter clock_steps_back;  // steps of the wall clock, seen by the disciplined clock
    Counter clock_steps_ahead;
    Gauge ready;      // 1 while IDs can be issued
    Gauge worker_id;  // -1 while none is held
};

// What /readyz?verbose and the start line say. `reason` is empty while ready.
struct Status {
    bool ready = false;
    std::int64_t worker_id = -1;
    std::string reason;
};

}  // namespace frond::snowflake
