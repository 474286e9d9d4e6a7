#include "base/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace frond {
namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

void append_escaped(std::string& out, char character) {
    switch (character) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
        out += character;
    }
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    std::uint32_t code_point = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (!is_continuation(byte)) return 0;
        code_point = code_point << 6 | (byte & 0x3Fu);
    }
    const bool overlong = (length == 3 && code_point < 0x800) || (length == 4 && code_point < 0x10000);
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    return overlong || surrogate || code_point > 0x10FFFF ? 0 : length;
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) out += "\\ufffd";
        if (length == 1) append_escaped(out, text[0]);
        if (length > 1) out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

}  // namespace frond
