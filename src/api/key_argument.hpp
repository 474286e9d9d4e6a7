// The {key} of a path.
#pragma once

#include "http/target.hpp"

#include <frond/result.hpp>

#include <string>
#include <string_view>

namespace frond::api {

// Decodes a key as it stands in a path; whether it is a valid one is for validate_key(). The view holds until the next
// call on this thread. errc::invalid_key for a broken escape.
[[nodiscard]] inline Result<std::string_view> decode_key(std::string_view encoded) {
    thread_local std::string scratch;
    Result<std::string_view> key = http::decode_path_part(encoded, scratch);
    if (!key) return Error(errc::invalid_key, "a '%' in the key must be followed by two hexadecimal digits");
    return key;
}

}  // namespace frond::api
