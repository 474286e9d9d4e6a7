#include "server/config_sources.hpp"

#include "server/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace frond::server {
namespace {

constexpr std::string_view environment_prefix = "FROND__";

// "FROND__DATABASE__0__URL" -> "database.0.url".
std::string key_of_environment(std::string_view name) {
    std::string key;
    name.remove_prefix(environment_prefix.size());
    while (!name.empty()) {
        if (name.starts_with("__")) {
            key += '.';
            name.remove_prefix(2);
        } else {
            key += static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
            name.remove_prefix(1);
        }
    }
    return key;
}

// Leaf's file says so by its name or by its first line that says anything.
bool is_leaf_properties(const std::filesystem::path& path, std::string_view text) {
    if (path.extension() == ".properties") return true;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t begin = line.find_first_not_of(" \t\r\f");
        if (begin == std::string_view::npos || line[begin] == '#' || line[begin] == '!') continue;
        return line.substr(begin).starts_with("leaf.");
    }
    return false;
}

}  // namespace

void read_config_file(const std::filesystem::path& path, const std::string& host_name, Gathered& out) {
    const auto text = read_text_file(path);
    if (!text) {
        out.errors.push_back(
            fmt::format("{}: cannot read the configuration file: {}", path.string(), text.error().detail));
    } else if (is_leaf_properties(path, *text)) {
        read_leaf_properties(*text, path.string(), host_name, out);
    } else {
        read_toml(*text, path.string(), out);
    }
}

void read_environment(const std::map<std::string, std::string>& environment, Gathered& out) {
    for (const auto& [name, value] : environment) {
        if (!name.starts_with(environment_prefix)) continue;
        const std::string key = key_of_environment(name);
        if (find_key(key) && environment_name(key) == name) {
            out.settings.push_back({key, {RawValue::Type::untyped, value, {}}, name});
        } else {
            const std::string nearest = environment_name(nearest_key(key));
            out.errors.push_back(fmt::format("{}: unknown key {}; did you mean {}?", name, key, nearest));
        }
    }
}

void read_databases(const std::vector<std::string>& urls, Gathered& out) {
    for (std::size_t i = 0; i < urls.size(); ++i) {
        out.settings.push_back(
            {fmt::format("database.{}.url", i), {RawValue::Type::untyped, urls[i], {}}, "--database"});
    }
}

void read_sets(const std::vector<std::string>& sets, Gathered& out) {
    for (const std::string& set : sets) {
        const std::size_t equals = set.find('=');
        if (equals == std::string::npos || equals == 0) {
            out.errors.push_back(fmt::format("--set {}: expected section.key=value", set));
        } else {
            const RawValue value{RawValue::Type::untyped, set.substr(equals + 1), {}};
            out.settings.push_back({set.substr(0, equals), value, "--set"});
        }
    }
}

}  // namespace frond::server
