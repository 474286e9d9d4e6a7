// What the commands share.
#pragma once

#include "server/config_load.hpp"
#include "server/serve.hpp"

#include <frond/result.hpp>

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace frond::cli {

// Where a command writes to.
struct Console {
    std::ostream& out;
    std::ostream& err;
};

// A command as it is registered: `run` is set when the command line names it, and returns the exit code.
using Chosen = std::function<int(Console&)>;

// Whether a server will run with the configuration, or a command only looks something up in it: what is wrong for a
// server in the place where it runs is no reason to refuse the latter.
enum class For { commands, serving };

// The options that say where the configuration comes from.
class ConfigArguments {
public:
    // Adds --config, --set and --database to a command.
    void add_to(CLI::App& command, For purpose = For::commands);
    [[nodiscard]] server::ConfigSources sources() const;
    // Loads the configuration, or says on `console.err` everything that is wrong with it.
    [[nodiscard]] std::optional<server::LoadedConfig> load(Console& console) const;

private:
    std::string file_;
    std::vector<std::string> sets_;
    std::vector<std::string> databases_;
    For purpose_ = For::commands;
};

// Says what went wrong, and returns the exit code for it: cannot start for a wrong configuration, else failed.
int complain(Console& console, const Error& error);

// Each adds its command to `app`; when the command line names it, `chosen` is set.
void add_serve_command(CLI::App& app, Chosen& chosen);
void add_init_command(CLI::App& app, Chosen& chosen);
void add_check_config_command(CLI::App& app, Chosen& chosen);
void add_key_command(CLI::App& app, Chosen& chosen);
void add_worker_command(CLI::App& app, Chosen& chosen);
void add_decode_command(CLI::App& app, Chosen& chosen);
void add_health_command(CLI::App& app, Chosen& chosen);
void add_version_command(CLI::App& app, Chosen& chosen);

}  // namespace frond::cli
