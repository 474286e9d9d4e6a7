#include "http/address.hpp"

#include <fmt/format.h>
#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace frond::http {

namespace {

namespace asio = boost::asio;

Error malformed(std::string_view text) {
    return Error(errc::invalid_configuration,
                 fmt::format("\"{}\" is not an address to listen on: write host:port, such as \"0.0.0.0:8080\", or "
                             "\"[::]:8080\" for IPv4 and IPv6",
                             text));
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return port;
}

// Without the brackets that an IPv6 address, and nothing else, must have.
std::optional<std::string_view> host_of(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) return text.substr(1, text.size() - 2);
    if (text.find_first_of(":[]") != std::string_view::npos) return std::nullopt;
    return text;
}

}  // namespace

Result<HostAndPort> parse_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return malformed(text);
    const auto port = parse_port(text.substr(colon + 1));
    const auto host = host_of(text.substr(0, colon));
    if (!port || !host || host->empty()) return malformed(text);
    return HostAndPort{std::string(*host), *port};
}

Result<std::vector<Tcp::endpoint>> resolve(const HostAndPort& address) {
    ErrorCode error;
    const auto literal = asio::ip::make_address(address.host, error);
    if (!error) return std::vector{Tcp::endpoint(literal, address.port)};
    asio::io_context context;
    asio::ip::basic_resolver<Tcp, Executor> resolver(context.get_executor());
    const auto found = resolver.resolve(address.host, std::to_string(address.port), error);
    std::vector<Tcp::endpoint> endpoints;
    if (!error) {
        for (const auto& entry : found) {
            const bool is_new = std::ranges::find(endpoints, entry.endpoint()) == endpoints.end();
            if (is_new) endpoints.push_back(entry.endpoint());
        }
    }
    if (!endpoints.empty()) return endpoints;
    return Error(errc::invalid_configuration,
                 fmt::format("cannot listen on {}: the name has no address ({}); use an IP address or a name of this "
                             "machine",
                             address.host, error.message()));
}

std::optional<Tcp::endpoint> ipv4_instead(const Tcp::endpoint& endpoint, const ErrorCode& error) {
    const bool is_any_v6 = endpoint.address().is_v6() && endpoint.address().is_unspecified();
    // The kernel was built or booted without IPv6, or it is switched off for every interface.
    const bool is_missing =
        error == asio::error::address_family_not_supported || error == boost::system::errc::address_not_available;
    if (!is_any_v6 || !is_missing) return std::nullopt;
    return Tcp::endpoint(asio::ip::address_v4::any(), endpoint.port());
}

std::string to_text(const Tcp::endpoint& endpoint) {
    const std::string address = endpoint.address().to_string();
    return fmt::format(fmt::runtime(endpoint.address().is_v6() ? "[{}]:{}" : "{}:{}"), address, endpoint.port());
}

}  // namespace frond::http
