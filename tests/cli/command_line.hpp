// Running commands in tests, in a folder of their own.
#pragma once

#include "cli/run.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace frond::cli {

// What a command said and how it ended.
struct Outcome {
    int code;
    std::string out;
    std::string err;
};

// Runs `frond` with these arguments.
inline Outcome frond(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"frond"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(static_cast<int>(argv.size()), argv.data(), out, err);
    return {code, out.str(), err.str()};
}

// Each test works in a new, empty current folder.
class CommandLine : public testing::Test {
protected:
    CommandLine() : before_(std::filesystem::current_path()) {
        std::string pattern = (std::filesystem::temp_directory_path() / "frond-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        std::filesystem::current_path(folder_);
    }
    ~CommandLine() override {
        std::filesystem::current_path(before_);
        std::filesystem::remove_all(folder_);
    }

    static void write(const char* name, std::string_view content) { std::ofstream(name, std::ios::binary) << content; }

    // Runs a command that must succeed, and returns what it said.
    static std::string good(const std::vector<std::string>& arguments) {
        const Outcome outcome = frond(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    }

private:
    std::filesystem::path before_;
    std::filesystem::path folder_;
};

}  // namespace frond::cli
