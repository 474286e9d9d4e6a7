// The arguments of frond key create | list | show | set | accept | raise.
#include "base/key.hpp"
#include "cli/command.hpp"
#include "cli/key_actions.hpp"
#include "server/stores.hpp"

#include <memory>
#include <string>

namespace frond::cli {
namespace {

using Shared = std::shared_ptr<KeyArguments>;

int with_admin(const KeyArguments& arguments, Console& console, KeyAction action) {
    const auto loaded = arguments.config.load(console);
    if (!loaded) return server::exit_cannot_start;
    const auto admin = server::make_key_admin(loaded->config);
    if (!admin) return complain(console, admin.error());
    return action(KeyWork{**admin, arguments, loaded->config, console});
}

// Adds a subcommand that ends in `action`.
CLI::App& add_action(CLI::App& parent, const char* name, const char* help, const Shared& arguments, Chosen& chosen,
                     KeyAction action) {
    CLI::App* command = parent.add_subcommand(name, help);
    arguments->config.add_to(*command);
    command->callback([arguments, &chosen, action] {
        chosen = [arguments, action](Console& console) { return with_admin(*arguments, console, action); };
    });
    return *command;
}

std::string key_problem(const std::string& key) {
    const Result<void> valid = validate_key(key);
    return valid ? std::string() : valid.error().detail;
}

CLI::Option& add_key(CLI::App& command, const Shared& arguments) {
    return *command.add_option("KEY", arguments->key, "the key, 1 to 128 characters")
                ->check(CLI::Validator(key_problem, ""));
}

// Options that create and set share; `fields` is what holds their values.
template <class Fields>
void add_fields(CLI::App& command, Fields& fields) {
    command.add_option("--step", fields.step, "numbers that a server takes at a time, at least 1");
    command.add_option("--delta", fields.delta, "distance from one number to the next, at least 1");
    command.add_option("--remainder", fields.remainder, "numbers are this modulo delta");
    command.add_option("--max-step", fields.max_step, "most numbers that a busy server takes at a time");
    command.add_option("--description", fields.description, "for people");
}

void add_json(CLI::App& command, const Shared& arguments) { command.add_flag("--json", arguments->json, "as JSON"); }

void add_create(CLI::App& key, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(key, "create", "Create a key", arguments, chosen, create_key);
    add_key(command, arguments).required();
    add_fields(command, arguments->record);
    command.add_option("--max-id", arguments->record.max_id, "first number to give out");
}

void add_list(CLI::App& key, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(key, "list", "List keys in the order of their bytes", arguments, chosen, list_keys);
    command.add_option("--prefix", arguments->prefix, "only keys that begin so");
    command.add_option("--after", arguments->after, "only keys after this one");
    command.add_option("--limit", arguments->limit, "at most so many; default: all")->check(CLI::Range(1, 1'000'000));
    add_json(command, arguments);
}

void add_show(CLI::App& key, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(key, "show", "Show a key", arguments, chosen, show_key);
    add_key(command, arguments).required();
    add_json(command, arguments);
}

void add_set(CLI::App& key, const Shared& arguments, Chosen& chosen) {
    CLI::App& command =
        add_action(key, "set", "Change a key; takes effect at the next range", arguments, chosen, set_key);
    add_key(command, arguments).required();
    add_json(command, arguments);
    CLI::Option_group& changes = *command.add_option_group("Changes", "at least one");
    add_fields(changes, arguments->change);
    changes.add_option("--disabled", arguments->change.disabled, "true stops the key, false starts it again");
    changes.require_option(1, 0);
}

void add_accept(CLI::App& key, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(key, "accept", "Accept that the table went backwards for a key; audited", arguments,
                                   chosen, accept_key);
    add_key(command, arguments).required();
}

void add_raise(CLI::App& key, const Shared& arguments, Chosen& chosen) {
    CLI::App& command = add_action(key, "raise", "Raise a key, or all, past numbers that may have been used; audited",
                                   arguments, chosen, raise_keys);
    CLI::Option_group& which = *command.add_option_group("Which", "one of them");
    add_key(which, arguments);
    which.add_flag("--all", arguments->all, "all keys");
    which.require_option(1);
    command.add_option("--by", arguments->by, "how far, at least 1")->required()->check(CLI::PositiveNumber);
}

}  // namespace

void add_key_command(CLI::App& app, Chosen& chosen) {
    CLI::App& key = *app.add_subcommand("key", "Create and change keys");
    key.require_subcommand(1);
    const auto arguments = std::make_shared<KeyArguments>();
    add_create(key, arguments, chosen);
    add_list(key, arguments, chosen);
    add_show(key, arguments, chosen);
    add_set(key, arguments, chosen);
    add_accept(key, arguments, chosen);
    add_raise(key, arguments, chosen);
}

}  // namespace frond::cli
