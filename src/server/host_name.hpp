#pragma once

#include <string>

namespace frond::server {

// The name of this host as the system has it; inside a container, of the container.
[[nodiscard]] std::string system_host_name();

}  // namespace frond::server
