// How many cores this process may use. Reads /proc and /sys; thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace frond::server {

// The CPU quota of the control group that the process is in, in cores (1.5 = one and a half), the tightest of its
// group and all parents; version 1 and 2. Nothing when there is none. `root` stands for "/", for tests.
[[nodiscard]] std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

// The cores that the process's affinity mask allows, or the quota rounded up if that is less. At least 1. More threads
// than that would only be throttled.
[[nodiscard]] std::size_t usable_cores(const std::filesystem::path& root = "/");

}  // namespace frond::server
