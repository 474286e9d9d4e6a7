// Listen addresses as people write them. Thread-safe.
#pragma once

#include "http/sockets.hpp"

#include <frond/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::http {

struct HostAndPort {
    std::string host;  // without brackets
    std::uint16_t port = 0;

    bool operator==(const HostAndPort&) const = default;
};

// "host:port" or "[v6]:port"; the port is 0 to 65535. errc::invalid_configuration, saying what is expected, otherwise.
[[nodiscard]] Result<HostAndPort> parse_address(std::string_view text);

// All endpoints that the host stands for; a name is looked up, which may block. errc::invalid_configuration when there
// is none.
[[nodiscard]] Result<std::vector<Tcp::endpoint>> resolve(const HostAndPort& address);

// What to listen on in place of `endpoint`, which failed with `error`: all IPv4 addresses instead of all addresses, on
// a machine without IPv6. Nothing when the failure is a real one.
[[nodiscard]] std::optional<Tcp::endpoint> ipv4_instead(const Tcp::endpoint& endpoint, const ErrorCode& error);

// "127.0.0.1:8080", "[::1]:8080".
[[nodiscard]] std::string to_text(const Tcp::endpoint& endpoint);

}  // namespace frond::http
