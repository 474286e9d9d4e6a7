// The TOML file: the one place that knows toml++.
#include "server/config_sources.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace frond::server {
namespace {

using Type = RawValue::Type;

std::string spelling(const toml::node& node) {
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    return out.str();
}

RawValue raw_value(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::string:
            return {Type::text, node.as_string()->get(), {}};
        case toml::node_type::integer:
            return {Type::integer, std::to_string(node.as_integer()->get()), {}};
        case toml::node_type::floating_point:
            return {Type::real, spelling(node), {}};
        case toml::node_type::boolean:
            return {Type::flag, node.as_boolean()->get() ? "true" : "false", {}};
        case toml::node_type::date:
        case toml::node_type::time:
        case toml::node_type::date_time:
            return {Type::time, spelling(node), {}};
        case toml::node_type::array: {
            RawValue list{Type::list, {}, {}};
            for (const toml::node& item : *node.as_array()) list.items.push_back(raw_value(item));
            return list;
        }
        default:
            return {Type::table, {}, {}};
    }
}

// Walks the file's tables and makes a setting of each key in them, in the order of their lines.
class TomlReader {
public:
    TomlReader(const std::string& name, Gathered& out) : name_(name), out_(out) {}

    void read(const toml::table& top) {
        for (const auto& [key, node] : top) read_section(key, node);
        std::ranges::stable_sort(errors_, {}, &At<std::string>::line);
        std::ranges::stable_sort(settings_, {}, &At<Setting>::line);
        for (auto& error : errors_) out_.errors.push_back(std::move(error.what));
        for (auto& setting : settings_) out_.settings.push_back(std::move(setting.what));
    }

private:
    template <class T>
    struct At {
        std::uint32_t line;
        T what;
    };

    [[nodiscard]] std::string place(const toml::key& key) const {
        return fmt::format("{}:{}", name_, key.source().begin.line);
    }

    void error(const toml::key& key, const std::string& message) {
        errors_.push_back({key.source().begin.line, place(key) + ": " + message});
    }

    void read_section(const toml::key& key, const toml::node& node) {
        const std::string section(key.str());
        if (section == "database") {
            read_databases(key, node);
        } else if (is_section(section)) {
            if (const toml::table* table = node.as_table()) {
                read_keys(section, *table);
            } else {
                error(key, fmt::format("{0} is a section: write [{0}]", section));
            }
        } else if (node.is_table() || node.is_array_of_tables()) {
            error(key, fmt::format("unknown section [{}]; did you mean [{}]?", section, nearest_section(section)));
        } else {
            error(key, fmt::format("unknown key {}; did you mean {}?", section, nearest_key(section)));
        }
    }

    void read_databases(const toml::key& key, const toml::node& node) {
        if (!node.is_array_of_tables()) return error(key, "each database is a section of its own: write [[database]]");
        std::size_t index = 0;
        for (const toml::node& item : *node.as_array()) {
            if (index == max_databases)
                return error(key, fmt::format("at most {} [[database]] sections", max_databases));
            read_keys(fmt::format("database.{}", index++), *item.as_table());
        }
    }

    void read_keys(const std::string& section, const toml::table& table) {
        for (const auto& [key, node] : table) {
            Setting setting{section + "." + std::string(key.str()), raw_value(node), place(key)};
            settings_.push_back({key.source().begin.line, std::move(setting)});
        }
    }

    const std::string& name_;
    Gathered& out_;
    std::vector<At<std::string>> errors_;
    std::vector<At<Setting>> settings_;
};

}  // namespace

void read_toml(std::string_view text, const std::string& name, Gathered& out) {
    try {
        TomlReader(name, out).read(toml::parse(text));
    } catch (const toml::parse_error& error) {  // the only way in which Debian's build of the library tells
        const auto line = error.source().begin.line;
        out.errors.push_back(fmt::format("{}:{}: TOML syntax: {}", name, line, error.description()));
    }
}

}  // namespace frond::server
