// What Snowflake mode counts.
#pragma once

#include "base/metrics.hpp"
#include "worker/keeper.hpp"

namespace frond::snowflake {

// Thread-safe, as its members are.
struct SnowflakeMetrics {
    Counter ids_issued;
    Counter waits;             // takes that had to wait for the clock or the state file
    Counter refused;           // takes that ended in an error
    Counter clock_steps_back;  // steps of the wall clock, seen by the disciplined clock
    Counter clock_steps_ahead;
    Gauge clock_offset_ms;  // wall clock minus the time of IDs
    Gauge ready;            // 1 while IDs can be issued
    Gauge worker_id;        // -1 while none is held
    worker::KeeperMetrics keeper;

    SnowflakeMetrics() { worker_id.set(-1); }
};

}  // namespace frond::snowflake
