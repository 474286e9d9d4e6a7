// The release that this binary is built from.
#pragma once

#include <string>

namespace frond::server {

// "0.1.0", as CMake's project() has it.
[[nodiscard]] std::string version();

}  // namespace frond::server
