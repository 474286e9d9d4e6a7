// The one table of all configuration keys. Parsing, environment names, --set, suggestions for misspelt keys and the
// test of conf/frond.toml follow from it. Immutable; thread-safe.
#pragma once

#include "server/config.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace frond::server {

// Where a key's value lives; the index counts [[database]] tables and is 0 for every other section.
template <class T>
using FieldOf = T& (*)(Config&, std::size_t);

// A value out of a few words; set and get use the word's index.
struct WordField {
    std::span<const std::string_view> words;
    void (*set)(Config&, std::size_t word);
    std::size_t (*get)(const Config&);
};

using Field = std::variant<FieldOf<std::string>, FieldOf<std::vector<std::string>>, FieldOf<bool>,
                           FieldOf<std::int64_t>, FieldOf<milliseconds>, FieldOf<SnowflakeConfig>, WordField>;

// How a value is written.
enum class Kind { text, secret, addresses, flag, whole, size, time, duration, whole_seconds, word, worker_id };

struct ConfigKey {
    std::string_view name;  // "server.listen"; "database.url" stands for database.0.url and all further ones
    Kind kind;
    Field field;
    std::int64_t min = 0;  // bounds of a number, in bytes or ms where it has a unit; of a text its length
    std::int64_t max = 0;
    bool planned = false;  // known and checked, but only its default is supported by this release
};

// All keys, section by section in the order of conf/frond.toml.
[[nodiscard]] std::span<const ConfigKey> config_keys();

// A key as written: "database.2.url" is {database.url, 2}.
struct KeyPath {
    const ConfigKey* key;
    std::size_t index;
};
inline constexpr std::size_t max_databases = 16;

// Finds the key that a full name means; nothing when there is none.
[[nodiscard]] std::optional<KeyPath> find_key(std::string_view full_name);

// The reverse: {database.url, 2} -> "database.2.url".
[[nodiscard]] std::string full_name(const ConfigKey& key, std::size_t index);

// "server" of "server.listen"; the text as a whole when it has no dot.
[[nodiscard]] std::string_view section_of(std::string_view name);
[[nodiscard]] bool is_section(std::string_view name);

// "server.drain_delay" -> "FROND__SERVER__DRAIN_DELAY".
[[nodiscard]] std::string environment_name(std::string_view full_name);

// The known full name (or section) that a misspelt one most resembles.
[[nodiscard]] std::string nearest_key(std::string_view wanted);
[[nodiscard]] std::string nearest_section(std::string_view section);

}  // namespace frond::server
