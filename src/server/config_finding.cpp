#include "server/config_finding.hpp"

#include <utility>

namespace frond::server {

// Out of line: g++ 12 takes the strings of a braced Finding for an overflow (-Warray-bounds).
[[gnu::noinline]] void add_finding(Findings& findings, std::vector<std::string> keys, std::string text) {
    findings.push_back(Finding{std::move(keys), std::move(text)});
}

}  // namespace frond::server
