#include "http/bind.hpp"

#include "http/address.hpp"

#include <fmt/format.h>
#include <boost/asio/ip/v6_only.hpp>

#include <sys/socket.h>

#include <memory>

namespace frond::http {

namespace {

namespace asio = boost::asio;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

std::string_view remedy(const ErrorCode& error) {
    if (error == asio::error::address_in_use) return "stop the program that uses the port, or choose another port";
    if (error == asio::error::access_denied) return "choose a port above 1023, or grant CAP_NET_BIND_SERVICE";
    if (error == boost::system::errc::address_not_available) return "choose an address of this machine";
    if (error == asio::error::address_family_not_supported) return "this machine has no IPv6; choose an IPv4 address";
    return "choose another address";
}

Error cannot_listen(const Tcp::endpoint& endpoint, const ErrorCode& error) {
    return Error(errc::invalid_configuration,
                 fmt::format("cannot listen on {}: {}; {}", to_text(endpoint), error.message(), remedy(error)));
}

// What all acceptors share: dual-stack, and no wait for connections of a former process.
void open(Acceptor& acceptor, const Tcp::endpoint& endpoint, ErrorCode& error) {
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
    if (!error && endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
    if (!error) acceptor.non_blocking(true, error);
}

void bind_and_listen(Acceptor& acceptor, const Tcp::endpoint& endpoint, ErrorCode& error) {
    acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
}

// Listening alone: only then is the option set that lets the other threads' sockets join it.
Acceptor listen_first(asio::io_context& context, const Tcp::endpoint& endpoint, ErrorCode& error) {
    Acceptor acceptor(context);
    open(acceptor, endpoint, error);
    if (!error) bind_and_listen(acceptor, endpoint, error);
    if (!error) acceptor.set_option(ReusePort(true), error);
    return acceptor;
}

Acceptor listen_too(asio::io_context& context, const Tcp::endpoint& endpoint, ErrorCode& error) {
    Acceptor acceptor(context);
    open(acceptor, endpoint, error);
    if (!error) acceptor.set_option(ReusePort(true), error);
    if (!error) bind_and_listen(acceptor, endpoint, error);
    return acceptor;
}

Result<Bound> bind_endpoint(Tcp::endpoint endpoint, std::span<asio::io_context* const> contexts) {
    ErrorCode error;
    Bound bound;
    bound.acceptors.push_back(listen_first(*contexts.front(), endpoint, error));
    if (const auto instead = error ? ipv4_instead(endpoint, error) : std::nullopt) {
        endpoint = *instead;
        error = {};
        bound.acceptors.clear();
        bound.acceptors.push_back(listen_first(*contexts.front(), endpoint, error));
    }
    if (error) return cannot_listen(endpoint, error);
    bound.endpoint = bound.acceptors.front().local_endpoint();
    for (asio::io_context* context : contexts.subspan(1)) {
        bound.acceptors.push_back(listen_too(*context, bound.endpoint, error));
        if (error) return cannot_listen(bound.endpoint, error);
    }
    return bound;
}

}  // namespace

Result<std::vector<Bound>> bind_address(std::string_view address, std::span<asio::io_context* const> contexts) {
    const auto parsed = parse_address(address);
    if (!parsed) return parsed.error();
    const auto endpoints = resolve(*parsed);
    if (!endpoints) return endpoints.error();
    std::vector<Bound> all;
    for (Tcp::endpoint endpoint : *endpoints) {
        // A name with several addresses gets one port for all of them, also when it is the system that picks it.
        if (endpoint.port() == 0 && !all.empty()) endpoint.port(all.front().endpoint.port());
        auto bound = bind_endpoint(endpoint, contexts);
        if (!bound) return bound.error();
        all.push_back(std::move(*bound));
    }
    return all;
}

}  // namespace frond::http
