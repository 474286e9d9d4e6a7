// The {key} of a path.
#pragma once

#include "http/target.hpp"

#include <frond/result.hpp>

#include <string>
#include <string_view>

namespace frond::api {

// Decodes a key as it stands in a path; whether it is a valid one is for validate_key(). The view holds until the next
// call on this thread. errc::bad_request for a broken escape.
[[nodiscard]] inline Result<std::string_view> decode_key(std::string_view encoded) {
    thread_local std::string scratch;
    return http::decode_path_part(encoded, scratch);
}

}  // namespace frond::api
