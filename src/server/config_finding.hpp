// What a check of the configuration finds. Values; the function is pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frond::server {

// One thing that is wrong: a sentence about the first key, and all keys that it involves, by full name.
struct Finding {
    std::vector<std::string> keys;
    std::string text;
};

using Findings = std::vector<Finding>;

void add_finding(Findings& findings, std::vector<std::string> keys, std::string text);

}  // namespace frond::server
