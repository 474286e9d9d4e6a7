// The one set of error codes of Frond, shared by the library, the server and the HTTP API.
// Pure values: thread-safe, no allocation.
#pragma once

#include <string_view>

namespace frond {

// Every way in which an operation of Frond can fail. The comment tells when. Values are stable within a release
// only; the stable form is the word that code_name() returns.
enum class errc {
    invalid_key = 1,        // key is empty, too long, not UTF-8, or holds control characters
    invalid_count,          // count is not a number from 1 to the batch limit
    invalid_format,         // format is none of the known words
    invalid_id,             // text is not an ID of this layout
    bad_request,            // request is malformed
    unauthorized,           // no valid token
    forbidden,              // token is valid, but not for this key
    key_not_found,          // no such key in the store
    not_found,              // no such path
    mode_disabled,          // segment or Snowflake mode is switched off
    method_not_allowed,     // path exists, but not with this method
    rate_limited,           // over a token's quota
    request_timeout,        // request was not complete in time
    key_exists,             // create of a key that exists
    key_exhausted,          // the key's numbers are used up
    payload_too_large,      // body is over its limit
    uri_too_long,           // request target is over its limit
    headers_too_large,      // header block is over its limit
    expectation_failed,     // unknown Expect header
    not_implemented,        // unknown transfer coding
    http_version,           // neither HTTP/1.0 nor HTTP/1.1
    segment_unavailable,    // no range arrived in time
    snowflake_overloaded,   // no room below the clock's lead in time
    key_misconfigured,      // the key's row makes no valid range
    timestamp_exhausted,    // the layout's timestamp field is full
    store_went_backwards,   // the store gave a range below one that it gave before
    clock_rollback,         // the clock is behind the last ID by more than the lead, or before the epoch
    limit_reached,          // the generator's limit (fence or watermark) does not cover the clock
    lease_lost,             // the generator was closed: its worker ID is no longer ours
    worker_unavailable,     // no worker ID is held
    draining,               // the server is stopping
    store_unavailable,      // the store could not be reached or did not answer in time
    invalid_configuration,  // a setting is wrong; the detail says which and what to do
    internal,               // a defect; details belong in the log
};

// The stable word for a code, as the HTTP API shows it: errc::invalid_key -> "INVALID_KEY".
[[nodiscard]] std::string_view code_name(errc code) noexcept;

}  // namespace frond
