#include "zookeeper/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace frond::zookeeper {
namespace {

// The C client takes no longer one.
constexpr std::size_t max_connect = 4096;

bool is_port(std::string_view text) {
    int port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool is_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    return colon != std::string_view::npos && colon > 0 && is_port(text.substr(colon + 1));
}

bool is_connect_string(std::string_view text) {
    if (text.size() > max_connect || text.find('\0') != std::string_view::npos) return false;
    const std::string_view addresses = text.substr(0, text.find('/'));
    for (std::size_t from = 0; from <= addresses.size();) {
        const std::size_t to = std::min(addresses.find(',', from), addresses.size());
        if (!is_address(addresses.substr(from, to - from))) return false;
        from = to + 1;
    }
    return true;
}

Error invalid(std::string detail) { return {errc::invalid_configuration, std::move(detail)}; }

}  // namespace

Result<void> check(const RegistryOptions& options) {
    if (!is_connect_string(options.connect)) {
        return invalid(
            fmt::format("zookeeper.connect is '{}'; it must be host:port, several with commas between, and "
                        "perhaps a path behind",
                        options.connect));
    }
    if (options.session_timeout.count() < 1 || options.session_timeout.count() > INT32_MAX) {
        return invalid(fmt::format("zookeeper.session_timeout is {} ms; it must be 1 ms to 24 days",
                                   options.session_timeout.count()));
    }
    if (options.auth && (options.auth->find(':') == std::string::npos || options.auth->front() == ':')) {
        return invalid("zookeeper.auth_file must hold user:password");
    }
    return {};
}

std::string describe(const RegistryOptions& options, std::string_view base) {
    std::string_view connect = options.connect;
    while (connect.ends_with('/')) connect.remove_suffix(1);
    return fmt::format("zookeeper:{}{}", connect, base);
}

}  // namespace frond::zookeeper
