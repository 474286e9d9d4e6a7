// What must hold between several settings, and what this release cannot do yet. Pure functions.
#pragma once

#include "server/config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::server {

// One thing that is wrong: a sentence about the first key, and all keys that it involves, by full name.
struct Finding {
    std::vector<std::string> keys;
    std::string text;
};

// Checks values that each for itself are in range. A worker ID "ordinal" has been resolved before.
[[nodiscard]] std::vector<Finding> check_config(const Config& config);

// The number at the end of the first label of a host name: "frond-3.frond.prod.svc" -> 3.
[[nodiscard]] std::optional<std::int64_t> ordinal_of(std::string_view host_name);

}  // namespace frond::server
