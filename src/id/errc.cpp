#include <frond/errc.hpp>

namespace frond {

std::string_view code_name(errc code) noexcept {
    switch (code) {
        case errc::invalid_key:
            return "INVALID_KEY";
        case errc::invalid_count:
            return "INVALID_COUNT";
        case errc::invalid_format:
            return "INVALID_FORMAT";
        case errc::invalid_id:
            return "INVALID_ID";
        case errc::bad_request:
            return "BAD_REQUEST";
        case errc::unauthorized:
            return "UNAUTHORIZED";
        case errc::forbidden:
            return "FORBIDDEN";
        case errc::key_not_found:
            return "KEY_NOT_FOUND";
        case errc::not_found:
            return "NOT_FOUND";
        case errc::mode_disabled:
            return "MODE_DISABLED";
        case errc::method_not_allowed:
            return "METHOD_NOT_ALLOWED";
        case errc::rate_limited:
            return "RATE_LIMITED";
        case errc::request_timeout:
            return "REQUEST_TIMEOUT";
        case errc::key_exists:
            return "KEY_EXISTS";
        case errc::key_exhausted:
            return "KEY_EXHAUSTED";
        case errc::payload_too_large:
            return "PAYLOAD_TOO_LARGE";
        case errc::uri_too_long:
            return "URI_TOO_LONG";
        case errc::headers_too_large:
            return "HEADERS_TOO_LARGE";
        case errc::expectation_failed:
            return "EXPECTATION_FAILED";
        case errc::not_implemented:
            return "NOT_IMPLEMENTED";
        case errc::http_version:
            return "HTTP_VERSION";
        case errc::segment_unavailable:
            return "SEGMENT_UNAVAILABLE";
        case errc::snowflake_overloaded:
            return "SNOWFLAKE_OVERLOADED";
        case errc::key_misconfigured:
            return "KEY_MISCONFIGURED";
        case errc::timestamp_exhausted:
            return "TIMESTAMP_EXHAUSTED";
        case errc::store_went_backwards:
            return "STORE_WENT_BACKWARDS";
        case errc::clock_rollback:
            return "CLOCK_ROLLBACK";
        case errc::limit_reached:
            return "LIMIT_REACHED";
        case errc::lease_lost:
            return "LEASE_LOST";
        case errc::worker_unavailable:
            return "WORKER_UNAVAILABLE";
        case errc::draining:
            return "DRAINING";
        case errc::store_unavailable:
            return "STORE_UNAVAILABLE";
        case errc::invalid_configuration:
            return "INVALID_CONFIGURATION";
        case errc::internal:
            return "INTERNAL";
    }
    return "INTERNAL";
}

}  // namespace frond
