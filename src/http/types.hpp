// What a request and a reply are to the endpoints. The connection (connection.hpp) makes the one and sends the other.
#pragma once

#include "base/async.hpp"

#include <frond/errc.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frond::http {

enum class Method : std::uint8_t { get, head, post, put, patch, delete_, options, other };

// A request whose header block, and body if any, are complete. The views point into the connection's buffer and hold
// until the reply has been made, also across a wait.
struct Request {
    Method method = Method::get;
    std::string_view target;         // as sent: path and query
    std::string_view path;           // up to '?', still percent-encoded
    std::string_view query;          // after '?', still percent-encoded; empty when there is none
    std::string_view authorization;  // value of the header, empty when absent
    std::string_view content_type;
    std::string_view accept;
    std::string_view body;
    std::int64_t now_ms = 0;  // RequestHandler::batch_time_ms() of the batch that it came with
};

// Appends one reply to the connection's output buffer. Exactly one send… call for each request. Status line, Date,
// Server-free fixed headers, Content-Length and Connection are its own business. Lives on one I/O thread.
class Reply {
public:
    // 200 text/plain with `Cache-Control: no-store`: the hot path.
    void send_id(std::string_view digits);
    // Any other reply. content_type may be empty when the body is. extra_headers: complete lines, each ended by CRLF.
    // Bodies are not sent in answer to HEAD (the length is).
    void send(unsigned status_code, std::string_view content_type, std::string_view body,
              std::string_view extra_headers = {});

    // Set by the connection.
    std::string* out = nullptr;
    bool keep_alive = true;  // else the reply says that the connection closes
    bool http_1_0 = false;
    bool head = false;
    std::string_view date;  // "Date: …\r\n", made once a second for each thread

    // Set by send…, read by the connection for metrics and the access log.
    unsigned status = 0;
};

// What a listener serves. One object for all connections and threads; thread-safe.
class RequestHandler {
public:
    virtual ~RequestHandler() = default;

    // Called once for each batch of requests that one read brought, so that the hot path reads the clock once.
    virtual std::int64_t batch_time_ms() = 0;

    // Answers at once, or returns false without having touched `reply` when the answer has to wait.
    virtual bool try_handle(const Request& request, Reply& reply) = 0;

    // Answers, waiting if need be; called only after try_handle() returned false. Never throws for expected failures.
    virtual awaitable<void> handle(const Request& request, Reply& reply) = 0;

    // Answers a request that could not be read (limits, syntax, time-out): the connection closes after it.
    virtual void refuse(errc code, std::string_view detail, Reply& reply) = 0;
};

}  // namespace frond::http
