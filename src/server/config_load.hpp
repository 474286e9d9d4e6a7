// Where the configuration comes from: a TOML file (or Leaf's leaf.properties), the environment, the command line.
// Blocking file access; call it at start-up, from one thread.
#pragma once

#include "server/config.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace frond::server {

// What to read, later ones winning over earlier ones: file, environment, databases and sets.
struct ConfigSources {
    std::optional<std::filesystem::path> file;       // TOML, or leaf.properties by its extension or content
    std::map<std::string, std::string> environment;  // only names that begin with FROND__ are looked at
    std::vector<std::string> databases;              // --database URL: the n-th is the URL of the n-th database
    std::vector<std::string> sets;                   // --set section.key=value
    std::string host_name;                           // for worker_id = "ordinal"; empty: ask the system
    bool in_kubernetes = false;                      // for a server that will run in a pod
};

struct LoadedConfig {
    Config config;
    std::vector<std::string> notes;     // a sentence each, for the log: how leaf.properties was translated
    std::vector<std::string> warnings;  // the same: what is allowed, but hardly meant
};

// Everything that is wrong, a line each: where it was found, the key, what was found, what is allowed.
struct ConfigErrors {
    std::vector<std::string> lines;
};

// Reads and checks all sources. Never throws for what a user can do wrong.
[[nodiscard]] std::variant<LoadedConfig, ConfigErrors> load_config(const ConfigSources& sources);

}  // namespace frond::server
