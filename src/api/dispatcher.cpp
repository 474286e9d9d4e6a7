#include "api/dispatcher.hpp"

#include "api/problem.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace frond::api {
namespace {

constexpr unsigned sampled_one_in = 100;

std::string_view name_of(http::Method method) {
    switch (method) {
        case http::Method::get:
            return "GET";
        case http::Method::head:
            return "HEAD";
        case http::Method::post:
            return "POST";
        case http::Method::put:
            return "PUT";
        case http::Method::patch:
            return "PATCH";
        case http::Method::delete_:
            return "DELETE";
        case http::Method::options:
            return "OPTIONS";
        case http::Method::other:
            break;
    }
    return "other";
}

// Whether this request is the one in a hundred. Each thread counts for itself.
bool sampled() {
    thread_local unsigned seen = 0;
    return seen++ % sampled_one_in == 0;
}

std::string_view tail_of(const Dispatcher::Route& route, std::string_view path) {
    return route.has_tail ? path.substr(route.prefix.size()) : std::string_view();
}

// A defect must not take the server down: the client gets a bare 500, the log the story.
void send_defect(const http::Request& request, http::Reply& reply, const std::exception& defect) {
    spdlog::error("{} {}: {}", name_of(request.method), request.path, defect.what());
    send_problem(reply, errc::internal, {}, request.path);
}

}  // namespace

// Reached only by an endpoint that returned false and has nothing to wait for: a defect, caught in handle().
awaitable<void> Endpoint::answer(Call, http::Reply&) {
    throw std::logic_error("an endpoint that never waits was asked to wait");
    co_return;
}

void Dispatcher::add(std::string pattern, std::initializer_list<http::Method> methods, Endpoint& endpoint) {
    Route route{.pattern = std::move(pattern), .methods = methods, .allow = {}, .endpoint = &endpoint, .prefix = {}};
    for (const http::Method method : methods) {
        if (!route.allow.empty()) route.allow += ", ";
        route.allow += name_of(method);
    }
    routes_.push_back(std::move(route));
    // The strings may have moved with the vector.
    for (Route& each : routes_) {
        const std::size_t brace = each.pattern.find('{');
        each.has_tail = brace != std::string::npos;
        each.prefix = std::string_view(each.pattern).substr(0, brace);
    }
}

const Dispatcher::Route* Dispatcher::find(std::string_view path) const noexcept {
    for (const Route& route : routes_) {
        if (!path.starts_with(route.prefix)) continue;
        const bool ends_here = path.size() == route.prefix.size();
        const bool has_slash = path.find('/', route.prefix.size()) != std::string_view::npos;
        if (route.has_tail ? !has_slash : ends_here) return &route;
    }
    return nullptr;
}

std::int64_t Dispatcher::batch_time_ms() { return clock_ ? clock_() : 0; }

bool Dispatcher::try_handle(const http::Request& request, http::Reply& reply) {
    if (refusing_.load(std::memory_order_relaxed)) {
        send_problem(reply, errc::draining, "ask another server", request.path);
        answered(request, reply, other_counts_);
        return true;
    }
    const Route* route = find(request.path);
    if (route == nullptr) {
        send_problem(reply, errc::not_found, "the paths are listed in /openapi.yaml", request.path);
        answered(request, reply, other_counts_);
        return true;
    }
    if (!dispatch(*route, request, reply)) return false;
    answered(request, reply, *route->counts);
    return true;
}

bool Dispatcher::dispatch(const Route& route, const http::Request& request, http::Reply& reply) {
    if (std::find(route.methods.begin(), route.methods.end(), request.method) == route.methods.end()) {
        send_problem(reply, errc::method_not_allowed, fmt::format("allowed here: {}", route.allow), request.path,
                     fmt::format("Allow: {}\r\n", route.allow));
        return true;
    }
    try {
        return route.endpoint->try_answer({request, tail_of(route, request.path)}, reply);
    } catch (const std::exception& defect) {
        send_defect(request, reply, defect);
        return true;
    }
}

awaitable<void> Dispatcher::handle(const http::Request& request, http::Reply& reply) {
    const Route& route = *find(request.path);
    const Call call{request, tail_of(route, request.path)};
    try {
        co_await route.endpoint->answer(call, reply);
    } catch (const std::exception& defect) {
        send_defect(request, reply, defect);
    }
    answered(request, reply, *route.counts);
}

void Dispatcher::refuse(errc code, std::string_view detail, http::Reply& reply) {
    send_problem(reply, code, detail, {});
    answered({}, reply, other_counts_);
}

void Dispatcher::answered(const http::Request& request, const http::Reply& reply, StatusCounts& counts) {
    counts[std::clamp(reply.status / 100, 1U, 5U) - 1].add();
    if (access_log_ == AccessLog::off || (access_log_ == AccessLog::sampled && !sampled())) return;
    spdlog::info("request {} {} {}", name_of(request.method), request.target, reply.status);
}

}  // namespace frond::api
