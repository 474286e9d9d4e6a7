// Random names for leases and writes.
#pragma once

#include <string>

namespace frond::worker {

// 128 bits from the kernel's random source, as 32 hex digits. Thread-safe. Throws std::system_error when the kernel
// has none to give, which does not happen on a running system.
[[nodiscard]] std::string random_id();

}  // namespace frond::worker
