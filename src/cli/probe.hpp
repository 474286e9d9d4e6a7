// One HTTP GET of which only the status counts, for health checks out of images that have no curl. Blocks; no state.
#pragma once

#include <frond/result.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frond::cli {

struct ProbeTarget {
    std::vector<std::string> hosts;  // names or addresses, without brackets; asked in turn until one takes the call
    std::uint16_t port = 80;
    std::string authority;  // for the Host header: "[::1]:8081"
    std::string target;     // path and query
};

// http://host[:port][/path][?query]. errc::bad_request otherwise.
[[nodiscard]] Result<ProbeTarget> parse_probe_url(std::string_view text);

// The status of the answer. errc::internal with a sentence when nothing listens, when the answer is not HTTP, or when
// `patience` is over (looking a name up may take longer).
[[nodiscard]] Result<int> probe(const ProbeTarget& target, std::chrono::milliseconds patience);

}  // namespace frond::cli
