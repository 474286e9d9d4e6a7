// Durations and sizes as people write them in a configuration: "5s", "250ms", "15m", "8KiB".
// Pure functions; thread-safe.
#pragma once

#include <frond/result.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace frond {

// A whole number and one of ms, s, m, h, d; nothing between, no sign. errc::invalid_configuration otherwise, and past
// what int64 milliseconds hold.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// A whole number, alone (bytes) or followed by B, KiB, MiB or GiB. errc::invalid_configuration otherwise.
[[nodiscard]] Result<std::int64_t> parse_size(std::string_view text);

// The shortest exact form that parse_duration reads back: 90000 ms -> "90s".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

// RFC 3339 in UTC with milliseconds, "2019-09-06T01:35:00.834Z". Years 0000 to 9999; others are clamped.
[[nodiscard]] std::string format_rfc3339(std::int64_t unix_ms);

// RFC 3339 with any offset, fraction cut to ms; a date alone is midnight UTC. errc::bad_request otherwise.
[[nodiscard]] Result<std::int64_t> parse_rfc3339(std::string_view text);

}  // namespace frond
