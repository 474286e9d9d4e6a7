// A server on a free port of the loopback interface, with a handler that makes every kind of reply.
#pragma once

#include "http/server.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace frond::http {

// What it answers, by path:
//   /id                 the next number, counted from 1
//   /big?n              n bytes
//   /wait/…             the path, once release() has been called; it counts as waiting until then
//   /throw, /throw/late an exception, at once or after a wait
//   /silent             nothing, which is a defect
//   anything else       a line for each part of the request
class TestHandler final : public RequestHandler {
public:
    std::int64_t batch_time_ms() override { return batches_.fetch_add(1) + 1; }
    bool try_handle(const Request& request, Reply& reply) override;
    awaitable<void> handle(const Request& request, Reply& reply) override;
    void refuse(errc code, std::string_view detail, Reply& reply) override;

    // Lets every request that waits, and every later one, go on.
    void release() { released_ = true; }
    [[nodiscard]] int waiting() const { return waiting_; }
    [[nodiscard]] std::int64_t batches() const { return batches_; }

private:
    std::atomic<std::int64_t> ids_{0};
    std::atomic<std::int64_t> batches_{0};
    std::atomic<bool> released_{false};
    std::atomic<int> waiting_{0};
};

struct TestServer {
    explicit TestServer(Limits limits = {}, std::size_t threads = 2);

    TestHandler handler;
    ServerMetrics metrics;
    Server server;
    std::uint16_t port = 0;
};

// The port of "host:port".
std::uint16_t port_of(const std::string& address);

// Waits until `condition` holds; false when that takes too long.
bool eventually(const std::function<bool()>& condition);

}  // namespace frond::http
