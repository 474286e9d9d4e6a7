#include "cli/run.hpp"

#include "cli/command.hpp"

#include <spdlog/spdlog.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace frond::cli {
namespace {

constexpr const char* footer =
    "Without --config a command works on frond.db in the current folder:\n"
    "  frond init && frond key create demo --step 1000 && frond serve\n"
    "Settings: --set wins over the environment (FROND__SECTION__KEY), that over the file, that over the default.\n"
    "\n"
    "Exit codes: 0 stopped, or the command did its work; 1 failed at run time; 2 cannot start as configured;\n"
    "64 wrong usage\n";

// The text that `--help` shows for the command that `path` leads to. CLI11's own help() would follow the present
// command line, which leads to the help command.
std::string help_of(const CLI::App& app, const std::vector<std::string>& path) {
    if (path.empty()) return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
    const CLI::App* command = &app;
    std::string above;
    for (const std::string& name : path) {
        above += (above.empty() ? "" : " ") + command->get_name();
        command = command->get_subcommand(name);
    }
    return command->help(above);
}

void add_help_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("help", "Show this text, or that of a command");
    auto path = std::make_shared<std::vector<std::string>>();
    command->add_option("COMMAND", *path, "a command");
    command->callback([&app, path, &chosen] {
        chosen = [text = help_of(app, *path)](Console& console) {
            console.out << text;
            return server::exit_stopped;
        };
    });
}

// CLI11 reports --help as an error, too.
int report(const CLI::App& app, const CLI::Error& error, Console& console) {
    if (error.get_exit_code() == 0) return app.exit(error, console.out, console.err);
    console.err << "frond: " << error.what() << "\nTry `frond help`.\n";
    return server::exit_wrong_usage;
}

int parse_and_run(int argc, const char* const* argv, Console& console) {
    CLI::App app("Frond, a distributed ID service", "frond");
    app.footer(footer);
    app.require_subcommand(1);
    Chosen chosen;
    add_serve_command(app, chosen);
    add_init_command(app, chosen);
    add_check_config_command(app, chosen);
    add_key_command(app, chosen);
    add_worker_command(app, chosen);
    add_decode_command(app, chosen);
    add_health_command(app, chosen);
    add_version_command(app, chosen);
    add_help_command(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Error& error) {
        return report(app, error, console);
    }
    return chosen(console);
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    // Logs of the rooms below would mix with what a command prints; `serve` and audits set up their own.
    spdlog::default_logger()->set_level(spdlog::level::off);
    Console console{out, err};
    try {
        return parse_and_run(argc, argv, console);
    } catch (const std::exception& defect) {
        err << "frond: " << defect.what() << '\n';
    } catch (...) {
        err << "frond: unknown defect\n";
    }
    return server::exit_failed;
}

}  // namespace frond::cli
