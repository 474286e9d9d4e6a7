#include "api/decode_endpoints.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"

#include <fmt/format.h>

#include <memory>

namespace frond::cli {
namespace {

int decode(const ConfigArguments& config, const std::string& text, bool json, Console& console) {
    const auto loaded = config.load(console);
    if (!loaded) return server::exit_cannot_start;
    const Result<SnowflakeLayout> layout = loaded->config.snowflake.layout();
    if (!layout) return complain(console, layout.error());
    const Result<std::int64_t> id = api::parse_id(text);
    const Result<SnowflakeParts> parts = id ? layout->decode(*id) : Result<SnowflakeParts>(id.error());
    if (!parts) {
        console.err << fmt::format("frond: '{}': {}\n", text, parts.error().detail);
        return server::exit_wrong_usage;
    }
    const std::string time = format_rfc3339(parts->timestamp_ms);
    console.out << (json ? api::decoded_json(*id, *parts)
                         : fmt::format("time       {} ({} ms)\nworker ID  {}\nsequence   {}\n", time,
                                       parts->timestamp_ms, parts->worker_id, parts->sequence));
    return server::exit_stopped;
}

}  // namespace

void add_decode_command(CLI::App& app, Chosen& chosen) {
    CLI::App* command = app.add_subcommand("decode", "Take a Snowflake ID apart");
    auto config = std::make_shared<ConfigArguments>();
    auto text = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    config->add_to(*command);
    command->add_option("ID", *text, "a decimal ID")->required();
    command->add_flag("--json", *json, "as JSON");
    command->callback([config, text, json, &chosen] {
        chosen = [config, text, json](Console& console) { return decode(*config, *text, *json, console); };
    });
}

}  // namespace frond::cli
