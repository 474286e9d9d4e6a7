#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/probe.hpp"
#include "server/config_value.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace frond::cli {
namespace {

// The readiness path of the first management address; "any address" means this host.
Result<ProbeTarget> configured_target(const server::ServerConfig& config) {
    const std::string& address = config.management_listen.front();
    const auto parsed = server::parse_host_port(address);
    if (!parsed || parsed->port == 0) {
        return Error(errc::invalid_configuration,
                     fmt::format("server.management_listen is {}, which does not tell the port: give --url", address));
    }
    ProbeTarget target{{parsed->host}, parsed->port, address, "/readyz"};
    if (parsed->host == "0.0.0.0") target.hosts = {"127.0.0.1"};
    if (parsed->host == "::") target.hosts = {"127.0.0.1", "::1"};
    return target;
}

struct HealthArguments {
    ConfigArguments config;
    std::string url;
    std::string timeout = "3s";
    CLI::Option* url_option = nullptr;
};

int ask(const ProbeTarget& target, const HealthArguments& arguments, Console& console) {
    const Result<int> status = probe(target, *parse_duration(arguments.timeout));
    if (!status) return complain(console, status.error());
    const std::string sentence = fmt::format("{}{}: {}\n", target.authority, target.target, *status);
    if (*status != 200) {
        console.err << "frond: " << sentence;
        return server::exit_failed;
    }
    console.out << sentence;
    return server::exit_stopped;
}

int health(const HealthArguments& arguments, Console& console) {
    if (arguments.url_option->count() > 0) {
        const Result<ProbeTarget> target = parse_probe_url(arguments.url);
        if (target) return ask(*target, arguments, console);
        console.err << "frond: --url: " << target.error().detail << '\n';
        return server::exit_wrong_usage;
    }
    const auto loaded = arguments.config.load(console);
    if (!loaded) return server::exit_cannot_start;
    const Result<ProbeTarget> target = configured_target(loaded->config.server);
    return target ? ask(*target, arguments, console) : complain(console, target.error());
}

std::string duration_problem(const std::string& text) {
    const auto parsed = parse_duration(text);
    return parsed ? std::string() : parsed.error().detail;
}

}  // namespace

void add_health_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("health", "Ask a server whether it is ready; exit code 0 when it says 200");
    auto arguments = std::make_shared<HealthArguments>();
    arguments->config.add_to(*command);
    arguments->url_option = command->add_option("--url", arguments->url,
                                                "what to ask; default: /readyz of the first server.management_listen");
    command->add_option("--timeout", arguments->timeout, "how long to wait for the answer; default: 3s")
        ->check(CLI::Validator(duration_problem, ""));
    command->callback(
        [arguments, &chosen] { chosen = [arguments](Console& console) { return health(*arguments, console); }; });
}

}  // namespace frond::cli
