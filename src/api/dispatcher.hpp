// Finds the endpoint of a request by path and method. One dispatcher for each kind of port.
#pragma once

#include "api/endpoint.hpp"
#include "base/metrics.hpp"
#include "http/types.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frond::api {

enum class AccessLog { off, sampled, all };  // sampled: one request in a hundred of each thread

// Requests answered, by class of status: index 0 is 1xx, 4 is 5xx.
using StatusCounts = std::array<Counter, 5>;

// Immutable once it serves; thread-safe then.
class Dispatcher final : public http::RequestHandler {
public:
    struct Route {
        std::string pattern;  // "/livez", or with one parameter at the end: "/api/segment/get/{key}"
        std::vector<http::Method> methods;
        std::string allow;  // the methods as an Allow header names them
        Endpoint* endpoint;
        std::string_view prefix;  // the pattern up to its parameter
        bool has_tail = false;
        std::unique_ptr<StatusCounts> counts = std::make_unique<StatusCounts>();
    };

    // `clock` tells the time that Request::now_ms carries, in ms since the Unix epoch; null: 0.
    Dispatcher(std::function<std::int64_t()> clock, AccessLog access_log)
        : clock_(std::move(clock)), access_log_(access_log) {}

    // Adds a path; the ones asked for most go first. The endpoint outlives the dispatcher.
    void add(std::string pattern, std::initializer_list<http::Method> methods, Endpoint& endpoint);

    // From now on everything is answered 503 DRAINING.
    void refuse_all() noexcept { refusing_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] const std::vector<Route>& routes() const noexcept { return routes_; }
    // Requests that found no path, and those that could not be read.
    [[nodiscard]] const StatusCounts& other_counts() const noexcept { return other_counts_; }

    std::int64_t batch_time_ms() override;
    bool try_handle(const http::Request& request, http::Reply& reply) override;
    awaitable<void> handle(const http::Request& request, http::Reply& reply) override;
    void refuse(errc code, std::string_view detail, http::Reply& reply) override;

private:
    [[nodiscard]] const Route* find(std::string_view path) const noexcept;
    bool dispatch(const Route& route, const http::Request& request, http::Reply& reply);
    void answered(const http::Request& request, const http::Reply& reply, StatusCounts& counts);

    const std::function<std::int64_t()> clock_;
    const AccessLog access_log_;
    std::vector<Route> routes_;
    StatusCounts other_counts_;
    std::atomic<bool> refusing_{false};
};

}  // namespace frond::api
