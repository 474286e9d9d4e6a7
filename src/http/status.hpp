// HTTP status codes in words. Pure; thread-safe.
#pragma once

#include <string_view>

namespace frond::http {

// The reason phrase of RFC 9110 for the status codes that Frond uses; "Status" for any other.
[[nodiscard]] std::string_view reason_phrase(unsigned status) noexcept;

}  // namespace frond::http
