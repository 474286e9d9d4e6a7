#include "base/key.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace frond {
namespace {

// The code point at the front of `text`, which is cut off; nothing when the front is not well-formed UTF-8.
std::optional<char32_t> take_character(std::string_view& text) noexcept {
    const auto lead = static_cast<std::uint8_t>(text.front());
    if (lead < 0x80) {
        text.remove_prefix(1);
        return lead;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return std::nullopt;

    char32_t point = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto trail = static_cast<std::uint8_t>(text[i]);
        if ((trail & 0xC0) != 0x80) return std::nullopt;
        point = (point << 6) | (trail & 0x3Fu);
    }
    constexpr char32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < lowest[length] || surrogate || point > 0x10FFFF) return std::nullopt;
    text.remove_prefix(length);
    return point;
}

constexpr bool is_control(char32_t point) noexcept { return point < 0x20 || (point >= 0x7F && point <= 0x9F); }

}  // namespace

std::optional<std::size_t> count_characters(std::string_view text) noexcept {
    std::size_t count = 0;
    for (; !text.empty(); ++count) {
        if (!take_character(text)) return std::nullopt;
    }
    return count;
}

Result<void> validate_key(std::string_view key) {
    std::size_t count = 0;
    for (std::string_view rest = key; !rest.empty(); ++count) {
        const auto point = take_character(rest);
        if (!point) return Error(errc::invalid_key, "a key must be valid UTF-8");
        if (is_control(*point)) return Error(errc::invalid_key, "a key must not hold control characters");
    }
    if (count < 1 || count > max_key_characters) {
        return Error(errc::invalid_key,
                     fmt::format("a key has 1 to {} characters, this one has {}", max_key_characters, count));
    }
    return {};
}

}  // namespace frond
