// The server as a whole: puts the rooms together, runs until it is told to stop.
#pragma once

#include "server/config_load.hpp"

namespace frond::server {

// Exit codes of the process, the same for every command.
inline constexpr int exit_stopped = 0;       // stopped as told; a command did its work
inline constexpr int exit_failed = 1;        // failed at run time
inline constexpr int exit_cannot_start = 2;  // cannot start as configured
inline constexpr int exit_wrong_usage = 64;

// Serves until SIGTERM or SIGINT, then drains; a second signal stops at once. SIGHUP reads `sources` again and applies
// what can change while running. Sets up logging itself. Blocks; call it once, from the main thread, before any other
// thread exists. Returns the process's exit code.
int serve(const LoadedConfig& loaded, const ConfigSources& sources);

}  // namespace frond::server
