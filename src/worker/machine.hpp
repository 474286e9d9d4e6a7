// What the kernel says of this boot, of a file and of the file system below it. Thread-safe; block as long as the file
// system does.
#pragma once

#include <cstdint>
#include <string>

namespace frond::worker {

// The kernel's boot ID, new with each boot; empty when it cannot be read.
[[nodiscard]] std::string kernel_boot_id();

// When the file behind the descriptor was made, in ns since the Unix epoch; 0 when the file system keeps no such time.
[[nodiscard]] std::int64_t birth_time_ns(int descriptor);

// Whether the file system is of a kind that is known to be on this machine alone. Unknown kinds are not.
[[nodiscard]] bool on_local_file_system(int descriptor);

// The text of an errno value, as "No space left on device".
[[nodiscard]] std::string error_text(int error);

}  // namespace frond::worker
