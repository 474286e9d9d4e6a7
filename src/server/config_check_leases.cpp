#include "server/config_check_leases.hpp"

#include "server/config_value.hpp"
#include "server/registries.hpp"
#include "sql/database_url.hpp"
#include "zookeeper/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frond::server {
namespace {

constexpr const char* registry_key = "snowflake.registry";
constexpr const char* worker_id_key = "snowflake.worker_id";

std::string_view registry_word(Registry registry) {
    switch (registry) {
        case Registry::fixed:
            return "static";
        case Registry::database:
            return "database";
        case Registry::zookeeper:
            return "zookeeper";
    }
    return {};
}

void check_static(const SnowflakeConfig& snowflake, const worker::LeaseSpace* space, Findings& findings) {
    if (!snowflake.worker_id) {
        // An ordinal that could not be found out has been reported already.
        if (snowflake.worker_id_ordinal) return;
        add_finding(findings, {worker_id_key, registry_key},
                    "is not set, and snowflake.registry = \"static\" needs it: a number that no other instance of this "
                    "name uses, or \"ordinal\"; there is no default that would be safe");
    } else if (space != nullptr && *snowflake.worker_id <= space->layout.max_worker_id() &&
               !space->holds(*snowflake.worker_id - space->offset)) {
        add_finding(findings, {worker_id_key, "snowflake.worker_id_offset", "snowflake.worker_id_limit"},
                    fmt::format("{} is outside the share of this site, {} to {}", *snowflake.worker_id, space->offset,
                                space->offset + space->limit - 1));
    }
}

void refuse_worker_id(const SnowflakeConfig& snowflake, Findings& findings) {
    if (!snowflake.worker_id && !snowflake.worker_id_ordinal) return;
    add_finding(
        findings, {worker_id_key, registry_key},
        fmt::format("has a meaning only with snowflake.registry = \"static\", and that is \"{}\", which gives "
                    "out numbers by itself; set snowflake.registry = \"static\" to use this one, or leave it out",
                    registry_word(snowflake.registry)));
}

// A message of another room, without the key that it begins with.
void add_named(std::string_view detail, std::vector<std::string> other_keys, Findings& findings) {
    const std::size_t end = std::min(detail.find(' '), detail.size());
    other_keys.insert(other_keys.begin(), std::string(detail.substr(0, end)));
    add_finding(findings, std::move(other_keys), std::string(detail.substr(std::min(end + 1, detail.size()))));
}

bool is_found(std::string_view key, const Findings& findings) {
    return std::ranges::any_of(findings, [&](const Finding& finding) { return finding.keys.front() == key; });
}

// What is wrong with the root, whatever the name; nothing when it will do.
std::optional<Error> fault_of_root(const std::string& root) {
    const auto paths = zookeeper::Paths::make(root, "any");
    return paths ? std::nullopt : std::optional(paths.error());
}

void check_zookeeper_registry(const Config& config, const worker::LeaseSpace* space, Findings& findings) {
    if (config.zookeeper.connect.empty()) {
        add_finding(findings, {"zookeeper.connect", registry_key},
                    "is not set, and snowflake.registry = \"zookeeper\" needs it: host:port[,host:port…]");
    }
    // A root that is wrong by itself is found by check_zookeeper(), and a name that no registry takes has been found.
    const auto paths = zookeeper::Paths::make(config.zookeeper.root, config.snowflake.name);
    if (!paths && !fault_of_root(config.zookeeper.root) && !is_found("snowflake.name", findings)) {
        add_named(paths.error().detail, {}, findings);
    }
    if (space != nullptr && space->limit < 2) {
        add_finding(findings, {registry_key, "snowflake.worker_id_limit", "snowflake.worker_bits"},
                    "\"zookeeper\" never gives out the first number, which a Leaf server may use unasked, and this "
                    "share holds no other; use more snowflake.worker_bits or a higher snowflake.worker_id_limit");
    }
}

void check_database_registry(const Config& config, bool in_kubernetes, Findings& findings) {
    const DatabaseConfig* database = lease_database(config);
    if (database == nullptr) {
        add_finding(findings, {"snowflake.database", "database.0.name"},
                    fmt::format("no [[database]] has the name \"{}\"", config.snowflake.database));
        return;
    }
    const auto url = sql::parse_database_url(database->url);
    if (!url || url->engine != sql::Engine::sqlite || !in_kubernetes || config.snowflake.single_instance) return;
    add_finding(
        findings,
        {registry_key, fmt::format("database.{}.url", database - config.databases.data()), "snowflake.single_instance"},
        "worker IDs cannot be leased from a SQLite file inside Kubernetes, where each pod has a file of its "
        "own, and two pods would get one number; use \"zookeeper\" or a MySQL database, or set "
        "snowflake.single_instance = true if there is never more than one pod");
}

void check_server(std::string_view server, Findings& findings) {
    const auto parsed = parse_host_port(server);
    if (parsed && parsed->port != 0) return;
    const bool has_path = server.find('/') != std::string_view::npos;
    add_finding(findings, {"zookeeper.connect"},
                fmt::format("found \"{}\", expected host:port{}", server,
                            has_path ? "; a path belongs into zookeeper.root" : ""));
}

}  // namespace

void check_leases(const Config& config, bool in_kubernetes, Findings& findings) {
    const SnowflakeConfig& snowflake = config.snowflake;
    if (!snowflake.enabled) return;
    const auto layout = snowflake.layout();
    std::optional<worker::LeaseSpace> space;
    // A wrong layout is found by check_config().
    if (layout) {
        const auto made = lease_space(snowflake);
        if (made) {
            space = *made;
        } else {
            add_named(made.error().detail, {"snowflake.worker_id_offset", "snowflake.worker_bits"}, findings);
        }
    }
    const worker::LeaseSpace* known = space ? &*space : nullptr;
    switch (snowflake.registry) {
        case Registry::fixed:
            check_static(snowflake, known, findings);
            return;
        case Registry::database:
            refuse_worker_id(snowflake, findings);
            check_database_registry(config, in_kubernetes, findings);
            return;
        case Registry::zookeeper:
            refuse_worker_id(snowflake, findings);
            check_zookeeper_registry(config, known, findings);
    }
}

void check_zookeeper(const ZookeeperConfig& zookeeper, Findings& findings) {
    std::string_view rest = zookeeper.connect;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        check_server(rest.substr(0, comma), findings);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
        if (rest.empty()) check_server("", findings);
    }
    if (const auto fault = fault_of_root(zookeeper.root)) add_named(fault->detail, {}, findings);
}

}  // namespace frond::server
