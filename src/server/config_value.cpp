#include "server/config_value.hpp"

#include "base/json_text.hpp"
#include "base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>

namespace frond::server {
namespace {

using Type = RawValue::Type;

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 100;
    std::string out;
    append_json_string(out, text.substr(0, longest));
    if (text.size() > longest) out += "…";
    return out;
}

std::string found(const RawValue& value) {
    switch (value.type) {
        case Type::list:
            return "a list";
        case Type::table:
            return "a table";
        case Type::untyped:
        case Type::text:
            return quoted(value.text);
        default:
            return value.text;
    }
}

bool has_type(const RawValue& value, std::initializer_list<Type> types) {
    return value.type == Type::untyped || std::ranges::find(types, value.type) != types.end();
}

bool has_control_characters(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

bool within(const ConfigKey& key, std::int64_t number) { return key.min <= number && number <= key.max; }

std::optional<std::int64_t> parse_whole(std::string_view text) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string format_size(std::int64_t bytes) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> units{
        {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}};
    for (const auto& [name, factor] : units) {
        if (bytes != 0 && bytes % factor == 0) return fmt::format("{}{}", bytes / factor, name);
    }
    return std::to_string(bytes);
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

// Each setter below returns whether the value was fit; it changes nothing when it was not.

bool set_text(const ConfigKey& key, const RawValue& value, std::string& field) {
    const auto length = static_cast<std::int64_t>(value.text.size());
    if (!has_type(value, {Type::text}) || !within(key, length) || has_control_characters(value.text)) return false;
    field = value.text;
    return true;
}

bool set_addresses(const ConfigKey& key, const RawValue& value, std::vector<std::string>& field) {
    std::vector<std::string> list;
    if (value.type == Type::list) {
        for (const RawValue& item : value.items) {
            if (item.type != Type::text) return false;
            list.push_back(item.text);
        }
    } else if (has_type(value, {Type::text})) {
        list = split(value.text);
    }
    const bool valid = std::ranges::all_of(list, [](const auto& item) { return parse_host_port(item).has_value(); });
    if (!valid || !within(key, static_cast<std::int64_t>(list.size()))) return false;
    field = std::move(list);
    return true;
}

bool set_flag(const RawValue& value, bool& field) {
    if (!has_type(value, {Type::flag}) || (value.text != "true" && value.text != "false")) return false;
    field = value.text == "true";
    return true;
}

std::optional<std::int64_t> read_number(const ConfigKey& key, const RawValue& value) {
    if (key.kind == Kind::size) {
        if (!has_type(value, {Type::integer, Type::text})) return std::nullopt;
        const auto bytes = parse_size(value.text);
        return bytes && within(key, *bytes) ? std::optional(*bytes) : std::nullopt;
    }
    if (key.kind == Kind::time) {
        if (!has_type(value, {Type::text, Type::time})) return std::nullopt;
        const auto ms = parse_rfc3339(value.text);
        return ms ? std::optional(*ms) : std::nullopt;
    }
    const auto number = has_type(value, {Type::integer}) ? parse_whole(value.text) : std::nullopt;
    return number && within(key, *number) ? number : std::nullopt;
}

bool set_number(const ConfigKey& key, const RawValue& value, std::int64_t& field) {
    const auto number = read_number(key, value);
    if (number) field = *number;
    return number.has_value();
}

bool set_duration(const ConfigKey& key, const RawValue& value, milliseconds& field) {
    if (!has_type(value, {Type::text})) return false;
    const auto parsed = parse_duration(value.text);
    if (!parsed || !within(key, parsed->count())) return false;
    if (key.kind == Kind::whole_seconds && parsed->count() % 1000 != 0) return false;
    field = *parsed;
    return true;
}

bool set_word(const RawValue& value, const WordField& field, Config& config) {
    const auto word = std::ranges::find(field.words, value.text);
    if (!has_type(value, {Type::text}) || word == field.words.end()) return false;
    field.set(config, static_cast<std::size_t>(word - field.words.begin()));
    return true;
}

// The number behind "ordinal" is found out when all sources are known.
bool set_worker_id(const RawValue& value, SnowflakeConfig& field) {
    const bool ordinal = has_type(value, {Type::text}) && value.text == "ordinal";
    const auto number = has_type(value, {Type::integer}) ? parse_whole(value.text) : std::nullopt;
    if (!ordinal && (!number || *number < 0)) return false;
    field.worker_id_ordinal = ordinal;
    field.worker_id = ordinal ? std::nullopt : number;
    return true;
}

// One overload for each alternative of Field.
struct Setter {
    const ConfigKey& key;
    std::size_t index;
    const RawValue& value;
    Config& config;

    bool operator()(FieldOf<std::string> field) const { return set_text(key, value, field(config, index)); }
    bool operator()(FieldOf<std::vector<std::string>> field) const {
        return set_addresses(key, value, field(config, index));
    }
    bool operator()(FieldOf<bool> field) const { return set_flag(value, field(config, index)); }
    bool operator()(FieldOf<std::int64_t> field) const { return set_number(key, value, field(config, index)); }
    bool operator()(FieldOf<milliseconds> field) const { return set_duration(key, value, field(config, index)); }
    bool operator()(FieldOf<SnowflakeConfig> field) const { return set_worker_id(value, field(config, index)); }
    bool operator()(const WordField& field) const { return set_word(value, field, config); }
};

std::string number_text(Kind kind, std::int64_t number) {
    if (kind == Kind::size) return format_size(number);
    if (kind == Kind::time) return format_rfc3339(number);
    return std::to_string(number);
}

std::string worker_text(const SnowflakeConfig& snowflake) {
    if (snowflake.worker_id_ordinal) return "ordinal";
    return snowflake.worker_id ? std::to_string(*snowflake.worker_id) : "none";
}

struct Printer {
    Kind kind;
    std::size_t index;
    Config& config;

    std::string operator()(FieldOf<std::string> field) const { return field(config, index); }
    std::string operator()(FieldOf<std::vector<std::string>> field) const {
        return fmt::format("{}", fmt::join(field(config, index), ","));
    }
    std::string operator()(FieldOf<bool> field) const { return field(config, index) ? "true" : "false"; }
    std::string operator()(FieldOf<std::int64_t> field) const { return number_text(kind, field(config, index)); }
    std::string operator()(FieldOf<milliseconds> field) const { return format_duration(field(config, index)); }
    std::string operator()(FieldOf<SnowflakeConfig> field) const { return worker_text(field(config, index)); }
    std::string operator()(const WordField& field) const { return std::string(field.words[field.get(config)]); }
};

std::string length_text(const ConfigKey& key) {
    return fmt::format("a text of {} to {} bytes without control characters", key.min, key.max);
}

std::string duration_text(const ConfigKey& key) {
    const milliseconds min(key.min);
    const milliseconds max(key.max);
    return fmt::format("from {} to {}, such as \"{}\"", format_duration(min), format_duration(max),
                       format_duration(std::max(min, std::min(max, milliseconds(5000)))));
}

std::string whole_text(const ConfigKey& key) {
    if (key.max == std::numeric_limits<std::int64_t>::max()) return fmt::format("a whole number from {} on", key.min);
    return fmt::format("a whole number from {} to {}", key.min, key.max);
}

}  // namespace

std::optional<std::string> apply_value(const ConfigKey& key, std::size_t index, const RawValue& value, Config& config) {
    if (std::visit(Setter{key, index, value, config}, key.field)) return std::nullopt;
    const bool hide = key.kind == Kind::secret && (value.type == Type::text || value.type == Type::untyped);
    return fmt::format("found {}, expected {}", hide ? "a value that is not shown" : found(value), expected_value(key));
}

std::string expected_value(const ConfigKey& key) {
    switch (key.kind) {
        case Kind::text:
        case Kind::secret:
            return length_text(key);
        case Kind::addresses:
            return "one or more addresses such as \"0.0.0.0:8080\" or \"[::]:8080\"";
        case Kind::flag:
            return "true or false";
        case Kind::whole:
            return whole_text(key);
        case Kind::size:
            return fmt::format("a size from {} to {}, in bytes or such as \"8KiB\"", format_size(key.min),
                               format_size(key.max));
        case Kind::time:
            return "a time such as \"2010-11-04T01:42:54.657Z\", or a date";
        case Kind::duration:
            return "a duration " + duration_text(key);
        case Kind::whole_seconds:
            return "whole seconds " + duration_text(key);
        case Kind::word:
            return fmt::format("one of {}", fmt::join(std::get<WordField>(key.field).words, ", "));
        case Kind::worker_id:
            return "a whole number from 0 on, or \"ordinal\"";
    }
    return {};
}

std::string value_text(const ConfigKey& key, std::size_t index, Config config) {
    return std::visit(Printer{key.kind, index, config}, key.field);
}

std::optional<HostPort> parse_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    const auto port = parse_whole(text.substr(colon + 1));
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    const std::string_view never = bracketed ? "[] \t/@" : "[]: \t/@";
    if (host.empty() || host.find_first_of(never) != std::string_view::npos) return std::nullopt;
    if (!port || *port < 0 || *port > 65535) return std::nullopt;
    return HostPort{std::string(host), static_cast<std::uint16_t>(*port)};
}

}  // namespace frond::server
