#include "cli/command.hpp"

#include <memory>

namespace frond::cli {

void add_serve_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("serve", "Serve IDs over HTTP until SIGTERM or SIGINT");
    auto config = std::make_shared<ConfigArguments>();
    config->add_to(*command, For::serving);
    command->callback([config, &chosen] {
        chosen = [config](Console& console) {
            const auto loaded = config->load(console);
            return loaded ? server::serve(*loaded, config->sources()) : server::exit_cannot_start;
        };
    });
}

}  // namespace frond::cli
