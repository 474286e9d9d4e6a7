#include "cli/command.hpp"
#include "server/stores.hpp"

#include <memory>
#include <string>

namespace frond::cli {
namespace {

int init(const ConfigArguments& config, const std::string& schema, Console& console) {
    if (schema != "leaf") {
        return complain(console, Error(errc::invalid_configuration,
                                       "the schema " + schema + " is not supported by this release; leave it at leaf"));
    }
    const auto loaded = config.load(console);
    if (!loaded) return server::exit_cannot_start;
    const auto admin = server::make_key_admin(loaded->config);
    if (!admin) return complain(console, admin.error());
    const auto done = (*admin)->init();
    if (!done) return complain(console, done.error());
    for (const std::string& sentence : *done) console.out << sentence << '\n';
    return server::exit_stopped;
}

}  // namespace

void add_init_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("init", "Make the tables that are missing; never drops or changes one");
    auto config = std::make_shared<ConfigArguments>();
    auto schema = std::make_shared<std::string>("leaf");
    config->add_to(*command);
    command->add_option("--schema", *schema, "leaf; tinyid is not in this release")
        ->check(CLI::IsMember({"leaf", "tinyid"}));
    command->callback([config, schema, &chosen] {
        chosen = [config, schema](Console& console) { return init(*config, *schema, console); };
    });
}

}  // namespace frond::cli
