// What a key may look like, the same for the HTTP API, the command line and the stores.
// Pure functions; thread-safe.
#pragma once

#include <frond/result.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace frond {

inline constexpr std::size_t max_key_characters = 128;

// Number of Unicode code points of a UTF-8 text; nothing when it is not well-formed UTF-8 (overlong forms, surrogates
// and values past U+10FFFF are not).
[[nodiscard]] std::optional<std::size_t> count_characters(std::string_view text) noexcept;

// A key is well-formed UTF-8 of 1 to max_key_characters code points without control characters (U+0000 to U+001F,
// U+007F to U+009F). errc::invalid_key otherwise; the detail says what was expected and holds nothing of the key.
[[nodiscard]] Result<void> validate_key(std::string_view key);

}  // namespace frond
