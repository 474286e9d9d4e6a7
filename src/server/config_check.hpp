// What must hold between several settings, and what this release cannot do yet. Pure functions.
#pragma once

#include "server/config.hpp"
#include "server/config_finding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::server {

// Checks values that each for itself are in range. A worker ID "ordinal" has been resolved before. `in_kubernetes`:
// the configuration is for a server that runs in a pod.
[[nodiscard]] Findings check_config(const Config& config, bool in_kubernetes = false);

// What is allowed, but hardly meant: a sentence each, beginning with the key.
[[nodiscard]] std::vector<std::string> config_warnings(const Config& config);

// The number at the end of the first label of a host name: "frond-3.frond.prod.svc" -> 3.
[[nodiscard]] std::optional<std::int64_t> ordinal_of(std::string_view host_name);

}  // namespace frond::server
