// The sources of settings, each turned into the same list. None of them knows what a key means; the list is checked
// against the table of keys afterwards. Pure functions save read_config_file().
#pragma once

#include "server/config_load.hpp"
#include "server/config_value.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace frond::server {

// What the sources gave, in order of rising precedence, and what was wrong with them.
struct Gathered {
    std::vector<Setting> settings;
    std::vector<std::string> errors;
    std::vector<std::string> notes;
    std::string no_database;  // an error, unless some setting names a database after all
};

// Reads the file and hands it to one of the two below.
void read_config_file(const std::filesystem::path& path, const std::string& host_name, Gathered& out);

// `name` is the file's name for messages.
void read_toml(std::string_view text, const std::string& name, Gathered& out);

// Leaf's leaf.properties, translated with a note for each key. `host_name` becomes part of the instance's identity, as
// the address is with Leaf.
void read_leaf_properties(std::string_view text, const std::string& name, const std::string& host_name, Gathered& out);

// FROND__SECTION__KEY; every other name is left alone.
void read_environment(const std::map<std::string, std::string>& environment, Gathered& out);

void read_databases(const std::vector<std::string>& urls, Gathered& out);
void read_sets(const std::vector<std::string>& sets, Gathered& out);

}  // namespace frond::server
