#include "cli/command.hpp"

#include <memory>

namespace frond::cli {

void add_check_config_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("check-config", "Check the configuration; report everything that is wrong");
    auto config = std::make_shared<ConfigArguments>();
    config->add_to(*command, For::serving);
    command->callback([config, &chosen] {
        chosen = [config](Console& console) {
            const auto loaded = config->load(console);
            if (!loaded) return server::exit_cannot_start;
            for (const std::string& note : loaded->notes) console.out << note << '\n';
            for (const std::string& warning : loaded->warnings) console.out << "warning: " << warning << '\n';
            console.out << "the configuration is good\n";
            return server::exit_stopped;
        };
    });
}

}  // namespace frond::cli
