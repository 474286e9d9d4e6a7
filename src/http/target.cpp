#include "http/target.hpp"

#include "http/text.hpp"

#include <array>
#include <cstddef>

namespace frond::http {

namespace {

// Appends the byte that the escape at the front of `text` stands for. False when the escape is broken.
bool append_escaped(std::string_view text, std::string& out) {
    if (text.size() < 3) return false;
    const int high = hex_value(text[1]);
    const int low = hex_value(text[2]);
    if (high < 0 || low < 0) return false;
    out.push_back(static_cast<char>(high * 16 + low));
    return true;
}

Result<std::string_view> decode(std::string_view text, std::string& scratch, std::string_view special) {
    std::size_t next = text.find_first_of(special);
    if (next == std::string_view::npos) return text;
    scratch.clear();
    while (next != std::string_view::npos) {
        scratch.append(text.substr(0, next));
        text.remove_prefix(next);
        if (text.front() == '+') {
            scratch.push_back(' ');
            text.remove_prefix(1);
        } else {
            if (!append_escaped(text, scratch)) {
                return Error(errc::bad_request, "a '%' must be followed by two hexadecimal digits");
            }
            text.remove_prefix(3);
        }
        next = text.find_first_of(special);
    }
    scratch.append(text);
    return std::string_view(scratch);
}

// Whether `encoded` stands for `name`.
Result<bool> names(std::string_view encoded, std::string_view name, std::string& scratch) {
    if (encoded == name) return true;
    const auto decoded = decode_query_part(encoded, scratch);
    if (!decoded) return decoded.error();
    return *decoded == name;
}

// What follows "http://" or "https://"; nothing when the target begins with neither.
std::optional<std::string_view> after_scheme(std::string_view target) {
    for (const std::string_view scheme : std::array<std::string_view, 2>{"http://", "https://"}) {
        if (equals_ignoring_case(target.substr(0, scheme.size()), scheme)) return target.substr(scheme.size());
    }
    return std::nullopt;
}

TargetParts split_at_question_mark(std::string_view target) {
    const std::size_t mark = target.find('?');
    if (mark == std::string_view::npos) return {target, {}};
    return {target.substr(0, mark), target.substr(mark + 1)};
}

}  // namespace

Result<std::string_view> decode_path_part(std::string_view text, std::string& scratch) {
    return decode(text, scratch, "%");
}

Result<std::string_view> decode_query_part(std::string_view text, std::string& scratch) {
    return decode(text, scratch, "%+");
}

std::optional<QueryParameter> next_parameter(std::string_view& query) {
    while (!query.empty()) {
        const std::string_view parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(parameter.size() + 1, query.size()));
        if (parameter.empty()) continue;
        const std::size_t equals = parameter.find('=');
        if (equals == std::string_view::npos) return QueryParameter{parameter, {}};
        return QueryParameter{parameter.substr(0, equals), parameter.substr(equals + 1)};
    }
    return std::nullopt;
}

Result<std::optional<std::string_view>> find_parameter(std::string_view query, std::string_view name,
                                                       std::string& scratch) {
    std::optional<std::string_view> encoded;
    while (const auto parameter = next_parameter(query)) {
        const auto same = names(parameter->name, name, scratch);
        if (!same) return same.error();
        if (!*same) continue;
        if (encoded) return Error(errc::bad_request, "parameter '" + std::string(name) + "' is there twice");
        encoded = parameter->value;
    }
    if (!encoded) return std::optional<std::string_view>();
    const auto value = decode_query_part(*encoded, scratch);
    if (!value) return value.error();
    return std::optional(*value);
}

std::optional<TargetParts> split_target(std::string_view target) {
    if (target.find('#') != std::string_view::npos) return std::nullopt;
    if (target.starts_with('/')) return split_at_question_mark(target);
    const auto rest = after_scheme(target);
    if (!rest) return std::nullopt;
    const std::size_t end_of_host = std::min(rest->find_first_of("/?"), rest->size());
    if (end_of_host == 0) return std::nullopt;
    TargetParts parts = split_at_question_mark(rest->substr(end_of_host));
    if (parts.path.empty()) parts.path = "/";
    return parts;
}

}  // namespace frond::http
