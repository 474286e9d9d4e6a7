// Names of keys: full names, environment names, and the nearest one to a misspelt name.
#include "server/config_keys.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace frond::server {
namespace {

constexpr std::string_view database_section = "database";

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// "0.url" -> 0, with the digits and the dot taken off.
std::optional<std::size_t> take_index(std::string_view& text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    std::size_t index = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + dot, index);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + dot || index >= max_databases) return std::nullopt;
    text.remove_prefix(dot + 1);
    return index;
}

const ConfigKey* find_row(std::string_view name) {
    const auto found = std::ranges::find(config_keys(), name, &ConfigKey::name);
    return found == config_keys().end() ? nullptr : &*found;
}

// Levenshtein's distance: single characters put in, taken out or replaced.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

// A right key in a wrong section is nearer than a wrong key in the right section.
std::size_t key_distance(std::string_view wanted, std::string_view known) {
    const std::size_t distance = edit_distance(wanted, known);
    return last_part(wanted) == last_part(known) ? std::min<std::size_t>(distance, 2) : distance;
}

}  // namespace

std::string_view section_of(std::string_view name) { return name.substr(0, name.find('.')); }

bool is_section(std::string_view name) {
    return std::ranges::any_of(config_keys(), [name](const ConfigKey& key) { return section_of(key.name) == name; });
}

std::optional<KeyPath> find_key(std::string_view full_name) {
    std::size_t index = 0;
    std::string name(full_name);
    if (section_of(full_name) == database_section && full_name.size() > database_section.size()) {
        std::string_view rest = full_name.substr(database_section.size() + 1);
        const auto taken = take_index(rest);
        if (!taken) return std::nullopt;
        index = *taken;
        name = std::string(database_section) + "." + std::string(rest);
    }
    const ConfigKey* key = find_row(name);
    if (key == nullptr) return std::nullopt;
    return KeyPath{key, index};
}

std::string full_name(const ConfigKey& key, std::size_t index) {
    if (section_of(key.name) != database_section) return std::string(key.name);
    return std::string(database_section) + "." + std::to_string(index) + "." + std::string(last_part(key.name));
}

std::string environment_name(std::string_view full_name) {
    std::string name = "FROND__";
    for (const char c : full_name) {
        if (c == '.') {
            name += "__";
        } else {
            name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
    }
    return name;
}

std::string nearest_key(std::string_view wanted) {
    std::string nearest;
    std::size_t least = std::string::npos;
    for (const ConfigKey& key : config_keys()) {
        std::string known = full_name(key, 0);
        const std::size_t distance = key_distance(wanted, known);
        if (distance >= least) continue;
        least = distance;
        nearest = std::move(known);
    }
    return nearest;
}

std::string nearest_section(std::string_view section) {
    const auto distance = [section](const ConfigKey& key) { return edit_distance(section, section_of(key.name)); };
    return std::string(section_of(std::ranges::min_element(config_keys(), {}, distance)->name));
}

}  // namespace frond::server
