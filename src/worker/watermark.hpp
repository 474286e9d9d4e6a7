// How far ahead of the clock the watermark goes, and when it is moved. Pure functions on numbers; times in ms since the
// Unix epoch; no overflow.
//
// IDs are issued only at t <= watermark, and the watermark written at clock time w is w + max_ahead, never more, so
// that a restart finds a floor that it can start above at once. It is written every max_ahead / 3: between two writes
// on a quick disk a burst may therefore run ahead of the clock by at least 2/3 of max_ahead, and by all of it just
// after a write. One write may be late by that much before anybody has to wait.
#pragma once

#include <chrono>
#include <cstdint>

namespace frond::worker {

// Where to move a watermark that is committed at `present`: max_ahead_ms ahead of now_ms, not past `fence`, and never
// back.
[[nodiscard]] std::int64_t next_watermark(std::int64_t present, std::int64_t now_ms, std::int64_t max_ahead_ms,
                                          std::int64_t fence) noexcept;

// Time between two moves; at least 1 ms.
[[nodiscard]] std::chrono::milliseconds watermark_interval(std::int64_t max_ahead_ms) noexcept;

// The lead that a burst can count on between two moves, in ms.
[[nodiscard]] std::int64_t dependable_lead(std::int64_t max_ahead_ms) noexcept;

// a + b for b >= 0, saturating.
[[nodiscard]] constexpr std::int64_t later(std::int64_t time_ms, std::int64_t by_ms) noexcept {
    return time_ms > INT64_MAX - by_ms ? INT64_MAX : time_ms + by_ms;
}

}  // namespace frond::worker
