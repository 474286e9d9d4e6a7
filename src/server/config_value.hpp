// Values as the sources give them, and the step from there into the configuration. Pure functions on values.
#pragma once

#include "server/config_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::server {

// A value not yet checked against any key. `untyped` is text of the environment or of --set, which may mean any type;
// all others are TOML's types. `text` is its spelling; `items` only a list has.
struct RawValue {
    enum class Type { untyped, text, integer, real, flag, time, list, table };
    Type type = Type::untyped;
    std::string text;
    std::vector<RawValue> items;
};

// One value for one key, and where it stands: "frond.toml:12", "FROND__SERVER__LISTEN", "--set".
struct Setting {
    std::string key;
    RawValue value;
    std::string source;
};

// Puts the value where the key says. On error the configuration is as before, and the answer tells what was found and
// what is allowed: `found "x", expected true or false`. A secret is never quoted. config.databases must reach `index`.
[[nodiscard]] std::optional<std::string> apply_value(const ConfigKey& key, std::size_t index, const RawValue& value,
                                                     Config& config);

// What a key takes, for people: "a whole number from 0 to 1024".
[[nodiscard]] std::string expected_value(const ConfigKey& key);

// The present value as text that apply_value() reads back; "none" for a worker ID that is absent. Secrets in clear.
[[nodiscard]] std::string value_text(const ConfigKey& key, std::size_t index, Config config);

// host:port or [v6]:port with a port from 0 to 65535.
struct HostPort {
    std::string host;  // without brackets
    std::uint16_t port;
};
[[nodiscard]] std::optional<HostPort> parse_host_port(std::string_view text);

}  // namespace frond::server
