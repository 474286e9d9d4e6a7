#include "api/problem.hpp"

#include "base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace frond::api {

ProblemKind problem_kind(errc code) noexcept {
    switch (code) {
        case errc::invalid_key:
            return {400, "INVALID_KEY", "The key is not valid", 0};
        case errc::invalid_count:
            return {400, "INVALID_COUNT", "The count is not valid", 0};
        case errc::invalid_format:
            return {400, "INVALID_FORMAT", "The format is unknown", 0};
        case errc::invalid_id:
            return {400, "INVALID_ID", "The ID is not valid", 0};
        case errc::bad_request:
            return {400, "BAD_REQUEST", "The request is malformed", 0};
        case errc::unauthorized:
            return {401, "UNAUTHORIZED", "A valid token is needed", 0};
        case errc::forbidden:
            return {403, "FORBIDDEN", "The token is not for this key", 0};
        case errc::key_not_found:
            return {404, "KEY_NOT_FOUND", "There is no such key", 0};
        case errc::not_found:
            return {404, "NOT_FOUND", "There is no such path", 0};
        case errc::mode_disabled:
            return {404, "MODE_DISABLED", "This mode is switched off", 0};
        case errc::method_not_allowed:
            return {405, "METHOD_NOT_ALLOWED", "The path has no such method", 0};
        case errc::request_timeout:
            return {408, "REQUEST_TIMEOUT", "The request was not complete in time", 0};
        case errc::key_exists:
            return {409, "KEY_EXISTS", "The key exists already", 0};
        case errc::key_exhausted:
            return {410, "KEY_EXHAUSTED", "The numbers of the key are used up", 0};
        case errc::payload_too_large:
            return {413, "PAYLOAD_TOO_LARGE", "The body is too large", 0};
        case errc::uri_too_long:
            return {414, "URI_TOO_LONG", "The request target is too long", 0};
        case errc::expectation_failed:
            return {417, "EXPECTATION_FAILED", "The expectation cannot be met", 0};
        case errc::rate_limited:
            return {429, "RATE_LIMITED", "Too many requests", 1};
        case errc::headers_too_large:
            return {431, "HEADERS_TOO_LARGE", "The header block is too large", 0};
        case errc::not_implemented:
            return {501, "NOT_IMPLEMENTED", "The transfer coding is unknown", 0};
        case errc::http_version:
            return {505, "HTTP_VERSION", "Only HTTP/1.0 and HTTP/1.1 are spoken", 0};
        case errc::store_unavailable:
        case errc::segment_unavailable:
            return {503, "SEGMENT_UNAVAILABLE", "No range is ready", 1};
        case errc::snowflake_overloaded:
            return {503, "SNOWFLAKE_OVERLOADED", "No room below the clock", 1};
        case errc::key_misconfigured:
            return {503, "KEY_MISCONFIGURED", "The key's row makes no valid range", 0};
        case errc::timestamp_exhausted:
            return {503, "TIMESTAMP_EXHAUSTED", "The timestamp field is full", 0};
        case errc::store_went_backwards:
            return {503, "STORE_WENT_BACKWARDS", "The key's table went backwards", 5};
        case errc::clock_rollback:
            return {503, "CLOCK_ROLLBACK", "The clock has gone back", 1};
        case errc::lease_lost:
            return {503, "LEASE_LOST", "The worker ID was lost", 1};
        case errc::limit_reached:
        case errc::worker_unavailable:
            return {503, "WORKER_UNAVAILABLE", "No worker ID may issue now", 1};
        case errc::draining:
            return {503, "DRAINING", "The server is stopping", 1};
        case errc::invalid_configuration:
        case errc::internal:
            break;
    }
    return {500, "INTERNAL", "Something went wrong inside the server", 0};
}

void send_problem(http::Reply& reply, errc code, std::string_view detail, std::string_view instance,
                  std::string_view extra_headers) {
    const ProblemKind kind = problem_kind(code);
    std::string type_name(kind.code);
    std::transform(type_name.begin(), type_name.end(), type_name.begin(),
                   [](char c) { return c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });

    std::string body = fmt::format(R"({{"type":"urn:frond:{}","title":"{}","status":{},"detail":)", type_name,
                                   kind.title, kind.status);
    append_json_string(body, kind.status == 500 ? "the log of the server tells more" : detail);
    body += ",\"instance\":";
    append_json_string(body, instance);
    fmt::format_to(std::back_inserter(body), ",\"code\":\"{}\"}}\n", kind.code);

    std::string headers = "Cache-Control: no-store\r\n";
    if (kind.retry_after_s > 0) headers += fmt::format("Retry-After: {}\r\n", kind.retry_after_s);
    headers += extra_headers;
    reply.send(kind.status, "application/problem+json", body, headers);
}

}  // namespace frond::api
