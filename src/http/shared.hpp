// What all threads of one server share. Thread-safe: constants, atomics, and objects that are thread-safe themselves.
#pragma once

#include "http/limits.hpp"
#include "http/server_metrics.hpp"
#include "http/types.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

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

// A place among the open connections, taken when a connection is accepted and given back when it is gone. Movable.
class OpenSlot {
public:
    OpenSlot(Shared& shared, ListenerGroup& group) : shared_(&shared), group_(&group) { count(1); }
    OpenSlot(OpenSlot&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)), group_(other.group_) {}
    OpenSlot& operator=(OpenSlot&&) = delete;
    ~OpenSlot() {
        if (shared_ != nullptr) count(-1);
    }

    [[nodiscard]] bool is_over_limit() const noexcept {
        return group_->open_connections.load(std::memory_order_relaxed) > shared_->limits.max_connections;
    }
    [[nodiscard]] RequestHandler& handler() const noexcept { return group_->handler; }

private:
    void count(int n) noexcept {
        shared_->metrics.connections_open.add(n);
        group_->open_connections.fetch_add(static_cast<std::size_t>(n), std::memory_order_relaxed);
        shared_->open_connections.fetch_add(static_cast<std::size_t>(n), std::memory_order_acq_rel);
    }

    Shared* shared_;
    ListenerGroup* group_;
};

}  // namespace frond::http
