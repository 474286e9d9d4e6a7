// conf/frond.toml against the table of keys and the built-in defaults.
#include "server/config_keys.hpp"
#include "server/config_value.hpp"
#include "server/load_helper.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>

namespace frond::server {
namespace {

const std::filesystem::path shipped_file = std::filesystem::path(FROND_CONF_DIR) / "frond.toml";

struct Entry {
    std::string value;  // as written, without quotes and brackets
    bool active;
};

// All "key = value" lines, also those commented out ("#key = value"), by the key's name in the table.
std::map<std::string, Entry> entries() {
    std::ifstream file(shipped_file);
    const std::regex section_line(R"(\[+(\w+)\]+)");
    const std::regex key_line(R"re((#?)(\w+) = (?:\["|")?(.*?)(?:"\]|")?)re");
    std::map<std::string, Entry> found;
    std::string section;
    for (std::string line; std::getline(file, line);) {
        std::smatch match;
        if (std::regex_match(line, match, section_line)) {
            section = match[1];
        } else if (std::regex_match(line, match, key_line)) {
            found[section + "." + match[2].str()] = {match[3], match[1].length() == 0};
        }
    }
    return found;
}

TEST(ShippedFile, LoadsAndEqualsTheDefaults) {
    ConfigSources sources;
    sources.file = shipped_file;
    EXPECT_EQ(loaded(sources).config, Config());
}

TEST(ShippedFile, ShowsEveryKeyWithItsDefault) {
    const auto found = entries();
    for (const ConfigKey& key : config_keys()) {
        const auto entry = found.find(std::string(key.name));
        ASSERT_TRUE(entry != found.end()) << key.name;
        if (key.kind == Kind::worker_id) continue;
        Config config;
        const RawValue value{RawValue::Type::untyped, entry->second.value, {}};
        EXPECT_EQ(apply_value(key, 0, value, config), std::nullopt) << key.name;
        EXPECT_EQ(config, Config()) << key.name;
    }
    EXPECT_EQ(found.size(), config_keys().size()) << "the file shows a key that does not exist";
}

// What is commented out has no value by default; everything else has one.
TEST(ShippedFile, CommentsOutOnlyWhatHasNoDefault) {
    const auto found = entries();
    for (const ConfigKey& key : config_keys()) {
        const auto entry = found.find(std::string(key.name));
        if (entry == found.end() || entry->second.active) continue;
        const std::string value = value_text(key, 0, Config());
        EXPECT_TRUE(value.empty() || value == "none") << key.name;
    }
}

}  // namespace
}  // namespace frond::server
