// Loading configurations in tests: temporary files, and answers that print well.
#pragma once

#include "server/config_load.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <variant>

namespace frond::server {

// A folder that goes away with the object.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "frond-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Writes a file, with the folders above it, and returns its path.
    std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const {
        const std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

private:
    std::filesystem::path path_;
};

// The errors as one text, a line each; empty when the configuration was loaded.
inline std::string errors_of(const std::variant<LoadedConfig, ConfigErrors>& result) {
    std::string text;
    if (const auto* errors = std::get_if<ConfigErrors>(&result)) {
        for (const std::string& line : errors->lines) text += line + "\n";
    }
    return text;
}

inline std::string errors_of(const ConfigSources& sources) { return errors_of(load_config(sources)); }

// The configuration; a test failure, and the defaults, when there were errors.
inline LoadedConfig loaded(const ConfigSources& sources) {
    auto result = load_config(sources);
    EXPECT_EQ(errors_of(result), "");
    if (auto* config = std::get_if<LoadedConfig>(&result)) return std::move(*config);
    return {};
}

}  // namespace frond::server
