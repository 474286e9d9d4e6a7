#include "http/test_server.hpp"

#include "http/sockets.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/this_coro.hpp>

#include <stdexcept>
#include <thread>

namespace frond::http {

namespace {

using std::chrono::milliseconds;

std::string describe(const Request& request) {
    return "method " + std::to_string(static_cast<int>(request.method)) + "\npath " + std::string(request.path) +
           "\nquery " + std::string(request.query) + "\nauthorization " + std::string(request.authorization) +
           "\nbody " + std::string(request.body) + "\n";
}

}  // namespace

bool TestHandler::try_handle(const Request& request, Reply& reply) {
    if (request.path == "/id") {
        reply.send_id(std::to_string(++ids_));
    } else if (request.path == "/big") {
        reply.send(200, "text/plain", std::string(std::stoul(std::string(request.query)), 'x'));
    } else if (request.path == "/throw") {
        throw std::runtime_error("thrown at once");
    } else if (request.path == "/silent") {
        return true;
    } else if (request.path.starts_with("/wait/") || request.path == "/throw/late") {
        return false;
    } else {
        reply.send(200, "text/plain", describe(request));
    }
    return true;
}

awaitable<void> TestHandler::handle(const Request& request, Reply& reply) {
    Timer timer(co_await boost::asio::this_coro::executor);
    ++waiting_;
    do {
        timer.expires_after(milliseconds(1));
        co_await timer.async_wait(use_awaitable);
    } while (!released_ && request.path != "/throw/late");
    --waiting_;
    if (request.path == "/throw/late") throw std::runtime_error("thrown late");
    reply.send(200, "text/plain", request.path);
}

void TestHandler::refuse(errc code, std::string_view detail, Reply& reply) {
    unsigned status = 500;
    if (code == errc::bad_request) status = 400;
    if (code == errc::request_timeout) status = 408;
    if (code == errc::payload_too_large) status = 413;
    if (code == errc::uri_too_long) status = 414;
    if (code == errc::expectation_failed) status = 417;
    if (code == errc::headers_too_large) status = 431;
    if (code == errc::not_implemented) status = 501;
    if (code == errc::http_version) status = 505;
    reply.send(status, "text/plain", detail);
}

TestServer::TestServer(Limits limits, std::size_t threads) : server(threads, limits, metrics) {
    const auto addresses = server.listen({.addresses = {"127.0.0.1:0"}, .handler = &handler});
    if (!addresses) throw std::runtime_error(addresses.error().detail);
    port = port_of(addresses->front());
    // TSan cannot see how spdlog's library makes its logger, so it is there before any thread is.
    spdlog::default_logger_raw();
    server.start();
}

std::uint16_t port_of(const std::string& address) {
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

bool eventually(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
}

}  // namespace frond::http
