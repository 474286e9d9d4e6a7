// Structured logs through spdlog, on standard output (one event a line): JSON for machines, text for people.
#pragma once

#include <frond/result.hpp>

#include <spdlog/spdlog.h>

#include <string_view>

namespace frond {

enum class LogFormat { json, text };

// Sets up the process's default logger. Call once, before any thread logs. `level`: trace, debug, info, warning,
// error or off; errc::invalid_configuration otherwise.
Result<void> set_up_logging(std::string_view level, LogFormat format);

// Changes the level at run time; thread-safe. Errors as above.
Result<void> set_log_level(std::string_view level);

}  // namespace frond
