// Strings inside JSON that is written by hand, where a JSON library would be too slow or too much.
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace frond {

// Appends `text` as a JSON string, quotes included (RFC 8259). Bytes that are not UTF-8 become U+FFFD, so that the
// result is always valid JSON.
void append_json_string(std::string& out, std::string_view text);

// Length in bytes (1 to 4) of the UTF-8 character that `text` begins with; 0 when it begins with none. Overlong forms,
// surrogates and code points past U+10FFFF are none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

}  // namespace frond
