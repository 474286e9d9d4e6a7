// What `frond key …` does, once its arguments are known. Each returns the exit code and says the rest on the console.
#pragma once

#include "cli/command.hpp"
#include "segment/store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace frond::cli {

// Everything that the subcommands of `key` can be given.
struct KeyArguments {
    ConfigArguments config;
    std::string key;
    segment::KeyRecord record;  // create
    segment::KeyChange change;  // set
    std::string prefix;
    std::string after;
    std::size_t limit = 0;  // 0: all
    std::int64_t by = 0;
    bool all = false;
    bool json = false;
};

// What an action works with.
struct KeyWork {
    segment::KeyAdmin& admin;
    const KeyArguments& arguments;
    const server::Config& config;
    Console& console;
};

using KeyAction = int (*)(const KeyWork& work);

int create_key(const KeyWork& work);
int list_keys(const KeyWork& work);
int show_key(const KeyWork& work);
int set_key(const KeyWork& work);
int accept_key(const KeyWork& work);
int raise_keys(const KeyWork& work);

}  // namespace frond::cli
