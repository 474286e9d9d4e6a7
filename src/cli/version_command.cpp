#include "cli/command.hpp"
#include "server/version.hpp"

#include <fmt/format.h>

namespace frond::cli {

void add_version_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("version", "Show the version, and what the binary was built with");
    command->callback([&chosen] {
        chosen = [](Console& console) {
            console.out << fmt::format("frond {}\ng++ {}\n{}\n", server::version(), __VERSION__, FROND_LIBRARIES);
            return server::exit_stopped;
        };
    });
}

}  // namespace frond::cli
