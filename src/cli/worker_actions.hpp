// What `frond worker …` does, once its arguments are known. Each returns the exit code and says the rest on the
// console.
#pragma once

#include "base/clock.hpp"
#include "cli/command.hpp"
#include "worker/registry.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace frond::cli {

// Everything that the subcommands of `worker` can be given.
struct WorkerArguments {
    ConfigArguments config;
    std::int64_t worker_id = 0;
    std::optional<std::int64_t> to_ms;
    std::optional<std::chrono::milliseconds> by;
    bool force = false;
    bool json = false;
};

// What an action works with.
struct WorkerWork {
    worker::WorkerAdmin& admin;
    const WorkerArguments& arguments;
    const server::Config& config;
    const Clock& clock;
    Console& console;
};

using WorkerAction = int (*)(const WorkerWork& work);

int list_workers(const WorkerWork& work);
int show_worker(const WorkerWork& work);
int raise_floor(const WorkerWork& work);

}  // namespace frond::cli
