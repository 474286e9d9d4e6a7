#include "base/key.hpp"

#include "base/json_text.hpp"

#include <fmt/format.h>

namespace frond {
namespace {

// `character` is one well-formed UTF-8 character.
bool is_control(std::string_view character) noexcept {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) return first < 0x20 || first == 0x7F;
    return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::optional<std::size_t> count_characters(std::string_view text) noexcept {
    std::size_t count = 0;
    for (; !text.empty(); ++count) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return std::nullopt;
        text.remove_prefix(length);
    }
    return count;
}

Result<void> validate_key(std::string_view key) {
    std::size_t count = 0;
    for (; !key.empty(); ++count) {
        const std::size_t length = utf8_length(key);
        if (length == 0) return Error(errc::invalid_key, "a key must be valid UTF-8");
        if (is_control(key.substr(0, length))) {
            return Error(errc::invalid_key, "a key must not hold control characters");
        }
        key.remove_prefix(length);
    }
    if (count < 1 || count > max_key_characters) {
        return Error(errc::invalid_key,
                     fmt::format("a key has 1 to {} characters, this one has {}", max_key_characters, count));
    }
    return {};
}

}  // namespace frond
