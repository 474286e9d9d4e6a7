// Log lines about what an operator did to numbers that may already have been issued.
#pragma once

#include "server/config.hpp"

#include <string_view>

namespace frond::cli {

// Logs "audit: user NAME what" with the time, whatever log.level says, in the configured format.
void audit(const server::LogConfig& log, std::string_view what);

}  // namespace frond::cli
