// The arguments of frond worker list | show | raise.
#include "base/clock.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/worker_actions.hpp"
#include "server/registries.hpp"

#include <charconv>
#include <memory>
#include <string>

namespace frond::cli {
namespace {

using Shared = std::shared_ptr<WorkerArguments>;

int with_admin(const WorkerArguments& arguments, Console& console, WorkerAction action) {
    const auto loaded = arguments.config.load(console);
    if (!loaded) return server::exit_cannot_start;
    const auto admin = server::make_worker_admin(loaded->config);
    if (!admin) return complain(console, admin.error());
    const SystemClock clock;
    return action(WorkerWork{**admin, arguments, loaded->config, clock, console});
}

// Adds a subcommand that ends in `action`.
CLI::App& add_action(CLI::App& parent, const char* name, const char* help, const Shared& arguments, Chosen& chosen,
                     WorkerAction action) {
    CLI::App* command = parent.add_subcommand(name, help);
    arguments->config.add_to(*command);
    command->callback([arguments, &chosen, action] {
        chosen = [arguments, action](Console& console) { return with_admin(*arguments, console, action); };
    });
    return *command;
}

// RFC 3339, or ms since the Unix epoch.
Result<std::int64_t> parse_time(const std::string& text) {
    std::int64_t ms = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
    if (error == std::errc() && end == text.data() + text.size() && ms >= 0) return ms;
    auto time = parse_rfc3339(text);
    if (time) return *time;
    return Error(errc::bad_request, "expected a time such as 2026-12-01T04:15:00Z, or milliseconds since 1970");
}

// Options whose text is parsed into `field`; a message that cannot be parsed is wrong usage.
template <class Parse, class Field>
CLI::Option* add_parsed(CLI::App& command, const char* name, Parse parse, Field& field, const char* help) {
    const auto take = [parse, &field, name](const std::string& text) {
        const auto value = parse(text);
        if (!value) throw CLI::ValidationError(name, value.error().detail);
        field = *value;
    };
    return command.add_option_function<std::string>(name, take, help);
}

void add_list(CLI::App& worker, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(worker, "list", "List all records of this name, and the name's own data", arguments,
                                   chosen, list_workers);
    command.add_flag("--json", arguments->json, "as JSON");
}

void add_show(CLI::App& worker, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(worker, "show", "Show one record in full", arguments, chosen, show_worker);
    command.add_option("WORKER_ID", arguments->worker_id, "the worker ID")->required()->check(CLI::NonNegativeNumber);
    command.add_flag("--json", arguments->json, "as JSON");
}

void add_raise(CLI::App& worker, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(worker, "raise", "Raise the time above which every new lease begins; audited",
                                   arguments, chosen, raise_floor);
    command.footer(
        "For after the registry has lost what it had acknowledged (a restored backup, a fail-over to a replica that\n"
        "lagged): stop all instances of the name, raise the floor above every ID that they may have issued, start\n"
        "them again. `--to` the present time plus snowflake.max_ahead is enough if their clocks were right. The floor "
        "is\n"
        "never lowered.\n");
    CLI::Option_group& how = *command.add_option_group("How far", "at least one; the higher one counts");
    add_parsed(how, "--to", parse_time, arguments->to_ms, "a time, RFC 3339 or ms since 1970");
    add_parsed(
        how, "--by", [](const std::string& text) { return parse_duration(text); }, arguments->by,
        "a duration such as 15m, above the highest fence, the floor and the present time");
    how.require_option(1, 2);
    command.add_flag("--force", arguments->force, "also more than a year ahead");
}

}  // namespace

void add_worker_command(CLI::App& app, Chosen& chosen) {
    CLI::App& worker = *app.add_subcommand("worker", "Look at leased worker IDs, and raise their floor");
    worker.require_subcommand(1);
    const auto arguments = std::make_shared<WorkerArguments>();
    add_list(worker, arguments, chosen);
    add_show(worker, arguments, chosen);
    add_raise(worker, arguments, chosen);
}

}  // namespace frond::cli
