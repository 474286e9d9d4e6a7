#include "server/leaf_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

namespace frond::server {
namespace {

constexpr std::string_view blanks = " \t\f";

struct LogicalLine {
    std::string text;
    std::size_t line;
};

bool is_continued(std::string_view line) {
    const std::size_t last = line.find_last_not_of('\\');
    const std::size_t backslashes = last == std::string_view::npos ? line.size() : line.size() - last - 1;
    return backslashes % 2 == 1;
}

std::string_view without_leading_blanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

// Natural lines joined where a line ends in an odd number of backslashes; comments and empty lines left out.
std::vector<LogicalLine> logical_lines(std::string_view text) {
    std::vector<LogicalLine> lines;
    bool continued = false;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        line = without_leading_blanks(line);
        if (!continued && (line.empty() || line.front() == '#' || line.front() == '!')) continue;
        if (!continued) lines.push_back({{}, number});
        continued = is_continued(line);
        lines.back().text += line.substr(0, line.size() - (continued ? 1 : 0));
    }
    return lines;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
    if (code_point < 0x80) {
        out += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        out += static_cast<char>(0xC0 | code_point >> 6);
        out += static_cast<char>(0x80 | (code_point & 0x3F));
    } else {
        out += static_cast<char>(0xE0 | code_point >> 12);
        out += static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code_point & 0x3F));
    }
}

// Reads what follows a backslash; returns how many characters that was.
std::size_t append_escape(std::string& out, std::string_view after) {
    if (after.empty()) return 0;
    switch (after.front()) {
        case 't':
            out += '\t';
            return 1;
        case 'n':
            out += '\n';
            return 1;
        case 'r':
            out += '\r';
            return 1;
        case 'f':
            out += '\f';
            return 1;
        case 'u':
            break;
        default:
            out += after.front();
            return 1;
    }
    std::uint32_t code_point = 0;
    const std::string_view digits = after.substr(1, 4);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), code_point, 16);
    if (digits.size() != 4 || parsed.ptr != digits.data() + 4) {
        out += 'u';
        return 1;
    }
    append_utf8(out, code_point);
    return 5;
}

std::string unescaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const char c = text.front();
        text.remove_prefix(1);
        if (c == '\\') {
            text.remove_prefix(append_escape(out, text));
        } else {
            out += c;
        }
    }
    return out;
}

// Where the key ends: at the first '=', ':' or blank that no backslash protects.
std::size_t end_of_key(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
            ++i;
        } else if (line[i] == '=' || line[i] == ':' || blanks.find(line[i]) != std::string_view::npos) {
            return i;
        }
    }
    return line.size();
}

Property property_of(const LogicalLine& line) {
    const std::string_view text = line.text;
    const std::size_t end = end_of_key(text);
    std::string_view value = without_leading_blanks(text.substr(end));
    if (!value.empty() && (value.front() == '=' || value.front() == ':')) {
        value = without_leading_blanks(value.substr(1));
    }
    return {unescaped(text.substr(0, end)), unescaped(value), line.line};
}

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
    return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size() && port != 0;
}

}  // namespace

std::vector<Property> parse_properties(std::string_view text) {
    std::vector<Property> properties;
    for (const LogicalLine& line : logical_lines(text)) properties.push_back(property_of(line));
    return properties;
}

bool parse_jdbc_url(std::string_view text, JdbcUrl& out) {
    const auto take = [&text](std::string_view prefix) {
        const bool has = text.starts_with(prefix);
        if (has) text.remove_prefix(prefix.size());
        return has;
    };
    if (!take("jdbc:mysql://") && !take("jdbc:mariadb://")) return false;
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view authority = text.substr(0, slash);
    const std::string_view rest = text.substr(slash + 1);
    const std::size_t question = std::min(rest.find('?'), rest.size());
    const std::size_t colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
    const bool has_port = colon != std::string_view::npos;
    out.host = authority.substr(0, colon);
    out.port = has_port ? authority.substr(colon + 1) : std::string_view("3306");
    out.database = rest.substr(0, question);
    out.parameters = question < rest.size() ? rest.substr(question + 1) : std::string_view();
    return !out.host.empty() && !out.database.empty() && is_port(out.port) &&
           out.host.find_first_of(",()@ ") == std::string::npos && out.database.find('/') == std::string::npos;
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            out += c;
        } else {
            fmt::format_to(std::back_inserter(out), "%{:02X}", byte);
        }
    }
    return out;
}

}  // namespace frond::server
