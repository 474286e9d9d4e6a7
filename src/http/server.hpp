// An HTTP/1.1 server: one io_context(1) per thread, each with its own acceptor per address (SO_REUSEPORT). A connection
// lives on one thread for ever. Handles pipelining: all requests already read are answered before one write.
#pragma once

#include "http/limits.hpp"
#include "http/server_metrics.hpp"
#include "http/types.hpp"

#include <frond/result.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace frond::http {

struct Listen {
    std::vector<std::string> addresses;  // "host:port", "[v6]:port"; "[::]:port" falls back to "0.0.0.0:port" where
                                         // there is no IPv6; port 0 picks a free one, the same on every thread
    RequestHandler* handler = nullptr;   // see Server for how long it must live
};

// The I/O threads and all listeners of the process. Its functions are called from one thread, which is none of its own.
//
// Lifetimes: handlers must live until stop() has returned. A request may still be waiting in a service then; whatever
// keeps it there (the service) must be destroyed before the server, whose destructor frees what is left.
class Server {
public:
    Server(std::size_t threads, Limits limits, ServerMetrics& metrics);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Binds and listens; connections are accepted from here on by run(). errc::invalid_configuration, naming the
    // address and what to do, when one cannot be bound. Returns the addresses really bound, port 0 resolved.
    Result<std::vector<std::string>> listen(const Listen& listen);

    // Starts the I/O threads and returns. After every listen().
    void start();

    // From now on a reply carries `Connection: close`, unless more requests have arrived behind its own.
    void begin_drain();
    // Empties the accept queues, then closes the listeners; has done so when it returns. Connections that are idle, or
    // become so, are closed half a second later: time for a request that is under way.
    void stop_listening();
    // Waits until no connection is open, at most `patience`; true when none is left.
    bool wait_idle(std::chrono::milliseconds patience);
    // Closes everything, whatever is under way, and joins the threads. Does nothing the second time.
    void stop();

    // The context of I/O thread `index`, for timers and coroutines of services.
    [[nodiscard]] boost::asio::io_context& context(std::size_t index);
    [[nodiscard]] std::size_t threads() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace frond::http
