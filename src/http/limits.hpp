// How much a client may send, and how long it may take.
#pragma once

#include <chrono>
#include <cstddef>

namespace frond::http {

struct Limits {
    std::size_t header_limit = std::size_t{8} * 1024;   // request line and header block, bytes: else 431
    std::size_t target_limit = std::size_t{4} * 1024;   // bytes: else 414
    std::size_t body_limit = std::size_t{64} * 1024;    // bytes: else 413
    std::size_t max_connections = 10'000;               // over all threads, for each Server::listen()
    std::chrono::milliseconds request_timeout{10'000};  // from a request's first byte to its last, and for a write
    std::chrono::milliseconds idle_timeout{60'000};     // between requests
};

}  // namespace frond::http
