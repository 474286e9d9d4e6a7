// Lines that the C client logs. Pure; thread-safe.
#pragma once

#include <string_view>

namespace frond::zookeeper {

struct LogLine {
    std::string_view level;    // "ERROR", "WARN", "INFO" or "DEBUG"; empty when the line has none
    std::string_view message;  // without date, process and place in the client's source
};

// "2026-12-01 04:00:00,123:77(0x7f00):ZOO_WARN@do_io@12: text" -> {"WARN", "text"}. Any other text is its own message.
// The result points into the text.
[[nodiscard]] LogLine parse_log_line(std::string_view line) noexcept;

}  // namespace frond::zookeeper
