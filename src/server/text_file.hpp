// Small files that settings name. Blocking; thread-safe.
#pragma once

#include <frond/result.hpp>

#include <filesystem>
#include <string>

namespace frond::server {

// The whole file, 1 MiB at most. Else errc::invalid_configuration with the system's reason.
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& path);

}  // namespace frond::server
