// What all threads of one server share. Thread-safe: constants, atomics, and objects that are thread-safe themselves.
#pragma once

#include "http/limits.hpp"
#include "http/server_metrics.hpp"
#include "http/types.hpp"

#include <atomic>
#include <cstddef>

namespace frond::http {

struct Shared {
    const Limits limits;
    ServerMetrics& metrics;
    std::atomic<bool> draining{false};
    std::atomic<bool> stopping{false};
    std::atomic<std::size_t> open_connections{0};
};

// The listeners of one Server::listen(): one handler, one bound on connections.
struct ListenerGroup {
    RequestHandler& handler;
    std::atomic<std::size_t> open_connections{0};
};

}  // namespace frond::http
