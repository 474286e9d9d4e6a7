// Opens the sockets of one listen address, one for each I/O thread. Call from one thread.
#pragma once

#include "http/sockets.hpp"

#include <frond/result.hpp>

#include <boost/asio/io_context.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frond::http {

// The acceptors of one endpoint, listening and non-blocking, acceptors[i] on contexts[i].
struct Bound {
    Tcp::endpoint endpoint;  // the port is the real one
    std::vector<Acceptor> acceptors;
};

// Binds every endpoint that `address` ("host:port") stands for. The first socket of each is bound without SO_REUSEPORT,
// so that a port in use is an error, also when its user has set that option. errc::invalid_configuration, naming the
// address, what the system said and what to do.
[[nodiscard]] Result<std::vector<Bound>> bind_address(std::string_view address,
                                                      std::span<boost::asio::io_context* const> contexts);

}  // namespace frond::http
