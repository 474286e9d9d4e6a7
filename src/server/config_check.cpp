#include "server/config_check.hpp"

#include "base/units.hpp"
#include "server/config_check_leases.hpp"
#include "server/config_keys.hpp"
#include "server/config_value.hpp"
#include "sql/database_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace frond::server {
namespace {

void check_limits(const ServerConfig& server, Findings& findings) {
    if (server.target_limit <= server.header_limit) return;
    add_finding(findings, {"server.target_limit", "server.header_limit"},
                fmt::format("{} bytes are more than server.header_limit, {} bytes, which includes the target",
                            server.target_limit, server.header_limit));
}

// Checks one database; key(x) is its full name of x.
void check_database(const DatabaseConfig& database, std::size_t index, Findings& findings) {
    const auto key = [index](std::string_view last) { return fmt::format("database.{}.{}", index, last); };
    const auto url = sql::parse_database_url(database.url);
    if (!url) {
        add_finding(findings, {key("url")}, url.error().detail);
        return;
    }
    const bool url_has_password = url->password.has_value();
    const bool has_password = !database.password.empty() || url_has_password;
    if (!database.password_file.empty() && has_password) {
        add_finding(findings, {key("password_file"), key("password"), key("url")},
                    "a password is set as well (in the URL, the file or the environment); set one of them");
    } else if (!database.password.empty() && url_has_password) {
        add_finding(findings, {key("password"), key("url")}, "the URL holds a password as well; set one of them");
    }
    if (url->engine != sql::Engine::sqlite) return;
    const auto refuse = [&](std::string_view name, const std::string& value) {
        if (value.empty()) return;
        add_finding(findings, {key(name), key("url")},
                    "has no meaning for SQLite; set url to mysql://… or leave this out");
    };
    refuse("password", database.password);
    refuse("password_file", database.password_file);
    refuse("tls_ca", database.tls_ca);
}

// A name says which database is meant, so no two may share one.
void check_name(const Config& config, std::size_t index, Findings& findings) {
    const auto begin = config.databases.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(index);
    const std::string& name = config.databases[index].name;
    if (std::find_if(begin, end, [&](const DatabaseConfig& other) { return other.name == name; }) == end) return;
    add_finding(findings, {fmt::format("database.{}.name", index), fmt::format("database.{}.url", index)},
                fmt::format("another [[database]] has the name \"{}\" as well", name));
}

// Segment mode uses the first database; worker records may be in another.
void check_use(const Config& config, std::size_t index, Findings& findings) {
    const SnowflakeConfig& snowflake = config.snowflake;
    const bool holds_records = snowflake.enabled && snowflake.registry == Registry::database &&
                               config.databases[index].name == snowflake.database;
    if (index == 0 || holds_records) return;
    add_finding(findings, {fmt::format("database.{}.url", index)},
                "a second [[database]] is not supported by this release, save one named by snowflake.database; "
                "leave it out");
}

void check_databases(const Config& config, Findings& findings) {
    for (std::size_t i = 0; i < config.databases.size(); ++i) {
        check_database(config.databases[i], i, findings);
        check_name(config, i, findings);
        check_use(config, i, findings);
    }
}

void check_layout(const SnowflakeConfig& snowflake, Findings& findings) {
    const auto layout = snowflake.layout();
    if (!layout) {
        add_finding(findings,
                    {"snowflake.timestamp_bits", "snowflake.worker_bits", "snowflake.sequence_bits", "snowflake.epoch"},
                    layout.error().detail);
    } else if (snowflake.worker_id && *snowflake.worker_id > layout->max_worker_id()) {
        add_finding(findings, {"snowflake.worker_id", "snowflake.worker_bits"},
                    fmt::format("{}{} does not fit snowflake.worker_bits = {}: the highest is {}", *snowflake.worker_id,
                                snowflake.worker_id_ordinal ? " (the ordinal of this host)" : "", snowflake.worker_bits,
                                layout->max_worker_id()));
    }
}

void check_less(std::string_view low_key, milliseconds low, std::string_view high_key, milliseconds high,
                Findings& findings) {
    if (low < high) return;
    add_finding(findings, {std::string(low_key), std::string(high_key)},
                fmt::format("{} is not less than {}, {}", format_duration(low), high_key, format_duration(high)));
}

void check_snowflake(const SnowflakeConfig& snowflake, Findings& findings) {
    if (snowflake.name.find('/') != std::string::npos) {
        add_finding(findings, {"snowflake.name"}, "must not hold '/', which separates names in a registry");
    }
    if (snowflake.name == "." || snowflake.name == "..") {
        add_finding(findings, {"snowflake.name"}, "must not be '.' or '..', which a registry takes for a place");
    }
    check_layout(snowflake, findings);
    check_less("snowflake.heartbeat", snowflake.heartbeat, "snowflake.fence_window", snowflake.fence_window, findings);
    check_less("snowflake.max_ahead", snowflake.max_ahead, "snowflake.fence_window", snowflake.fence_window, findings);
}

void check_planned(const Config& config, Findings& findings) {
    const Config defaults;
    for (const ConfigKey& key : config_keys()) {
        if (!key.planned) continue;
        const std::string value = value_text(key, 0, config);
        const std::string usual = value_text(key, 0, defaults);
        if (value == usual) continue;
        const std::string advice = usual.empty() ? "leave it out" : fmt::format("leave it at \"{}\"", usual);
        add_finding(findings, {std::string(key.name)},
                    fmt::format("\"{}\" is not supported by this release; {}", value, advice));
    }
}

}  // namespace

Findings check_config(const Config& config, bool in_kubernetes) {
    Findings findings;
    check_limits(config.server, findings);
    check_databases(config, findings);
    check_snowflake(config.snowflake, findings);
    check_leases(config, in_kubernetes, findings);
    check_zookeeper(config.zookeeper, findings);
    check_planned(config, findings);
    return findings;
}

std::vector<std::string> config_warnings(const Config& config) {
    const SnowflakeConfig& snowflake = config.snowflake;
    std::vector<std::string> warnings;
    if (snowflake.enabled && snowflake.registry != Registry::fixed &&
        snowflake.heartbeat * 3 > snowflake.fence_window) {
        warnings.push_back(fmt::format(
            "snowflake.heartbeat: {} is more than a third of snowflake.fence_window, {}: one or two heartbeats that "
            "fail will stop Snowflake mode",
            format_duration(snowflake.heartbeat), format_duration(snowflake.fence_window)));
    }
    return warnings;
}

std::optional<std::int64_t> ordinal_of(std::string_view host_name) {
    const std::string_view label = host_name.substr(0, host_name.find('.'));
    const std::size_t last_other = label.find_last_not_of("0123456789");
    const std::string_view digits = last_other == std::string_view::npos ? label : label.substr(last_other + 1);
    std::int64_t ordinal = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (digits.empty() || parsed.ec != std::errc{}) return std::nullopt;
    return ordinal;
}

}  // namespace frond::server
