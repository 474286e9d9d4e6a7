// Tells people what the wall clock does: metrics, log lines, and a warning while it is far off.
#pragma once

#include "base/clock.hpp"
#include "snowflake/clock_discipline.hpp"
#include "snowflake/metrics.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace frond::snowflake {

// note() by one thread; warning() by any.
class ClockWatch {
public:
    // `hold`: IDs keep their time when the wall clock steps, and the lines say so.
    ClockWatch(SnowflakeMetrics& metrics, bool hold) : metrics_(metrics), hold_(hold) {}

    // Counts each step. Logs steps that leave the clocks apart, at most one line in 10 s, and once when they agree
    // again.
    void note(const ClockObservation& seen, SteadyTime now);

    // A sentence while the wall clock is more than 1 s away from the time of IDs, else empty.
    [[nodiscard]] std::string warning() const;

private:
    void tell_step(const ClockObservation& seen);

    SnowflakeMetrics& metrics_;
    const bool hold_;
    std::atomic<std::int64_t> offset_ms_{0};
    std::int64_t last_step_ms_ = 0;
    std::int64_t untold_ = 0;  // steps since the last line
    std::optional<SteadyTime> last_line_;
    bool told_ = false;  // a line said that the clocks are apart
};

}  // namespace frond::snowflake
