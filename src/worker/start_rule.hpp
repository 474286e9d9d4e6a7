// Whether a worker ID may be used now, seen from the clock. Pure functions; times in ms since the Unix epoch.
#pragma once

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <cstdint>
#include <optional>

namespace frond::worker {

struct StartRule {
    SnowflakeLayout layout;
    std::int64_t max_ahead_ms = 1'000;
    std::int64_t max_clock_skew_ms = 10'000;
};

// The error to answer with while the clock does not allow an ID; nothing when it does. `floor` is what may have been
// used before.
//   clock_rollback       the clock is before the layout's epoch, or behind the floor by more than max_ahead: up to
//                        max_clock_skew that is waited for, beyond it the clock is taken to be wrong
//   timestamp_exhausted  the layout's timestamp field does not reach to now
[[nodiscard]] std::optional<Error> refuse_start(const StartRule& rule, std::int64_t now_ms,
                                                std::optional<std::int64_t> floor);

// The earliest time that refuse_start() does not refuse on account of the floor.
[[nodiscard]] std::int64_t start_allowed_at(const StartRule& rule, std::int64_t floor) noexcept;

// refuse_start() without a floor: what must hold all the time.
[[nodiscard]] std::optional<Error> refuse_time(const SnowflakeLayout& layout, std::int64_t now_ms);

}  // namespace frond::worker
