#include "server/registries.hpp"

#include "server/stores.hpp"
#include "sql/worker_admin.hpp"
#include "sql/worker_registry.hpp"
#include "worker/random_id.hpp"
#include "zookeeper/worker_admin.hpp"
#include "zookeeper/worker_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace frond::server {
namespace {

Error no_registry() {
    return {errc::invalid_configuration,
            "snowflake.registry is \"static\": there is no registry, and nobody keeps records of worker IDs"};
}

zookeeper::RegistryOptions zookeeper_options(const Config& config) {
    zookeeper::RegistryOptions options;
    options.connect = config.zookeeper.connect;
    options.root = config.zookeeper.root;
    options.session_timeout = config.zookeeper.session_timeout;
    if (!config.zookeeper.auth.empty()) options.auth = config.zookeeper.auth;
    options.name = config.snowflake.name;
    return options;
}

// A pool of its own, so that leases do not wait for segments: one session, as a registry is used by one thread.
Result<std::shared_ptr<sql::Database>> open_lease_database(const Config& config) {
    const DatabaseConfig* database = lease_database(config);
    if (database == nullptr) {
        return Error(errc::invalid_configuration,
                     fmt::format("snowflake.database: no [[database]] has the name \"{}\"", config.snowflake.database));
    }
    sql::DatabaseOptions options = database_options(*database);
    options.pool_size = 1;
    return sql::Database::make(options);
}

// Brings a result of one class to its interface.
template <class Interface, class Class>
Result<std::unique_ptr<Interface>> as(Result<std::unique_ptr<Class>> made) {
    if (!made) return made.error();
    return std::unique_ptr<Interface>(std::move(*made));
}

}  // namespace

const DatabaseConfig* lease_database(const Config& config) noexcept {
    if (config.snowflake.database.empty()) return &config.databases.front();
    const auto found = std::ranges::find(config.databases, config.snowflake.database, &DatabaseConfig::name);
    return found == config.databases.end() ? nullptr : &*found;
}

Result<worker::LeaseSpace> lease_space(const SnowflakeConfig& config) {
    const auto layout = config.layout();
    if (!layout) return layout.error();
    return worker::make_space(*layout, config.worker_id_offset, config.worker_id_limit);
}

Result<worker::LeaseOptions> lease_options(const Config& config, const Instance& instance) {
    const auto space = lease_space(config.snowflake);
    if (!space) return space.error();
    worker::LeaseOptions options;
    options.name = config.snowflake.name;
    options.space = *space;
    options.identity = instance.identity;
    options.ip = instance.ip;
    options.port = instance.port;
    options.max_ahead = config.snowflake.max_ahead;
    options.max_clock_skew = config.snowflake.max_clock_skew;
    options.heartbeat = config.snowflake.heartbeat;
    options.fence_window = config.snowflake.fence_window;
    options.new_id = worker::random_id;
    return options;
}

Result<std::unique_ptr<worker::WorkerRegistry>> make_worker_registry(const Config& config, const Instance& instance) {
    if (config.snowflake.registry == Registry::fixed) return no_registry();
    const auto space = lease_space(config.snowflake);
    if (!space) return space.error();
    if (config.snowflake.registry == Registry::zookeeper) {
        zookeeper::JoinOptions join{.space = *space, .identity = instance.identity, .new_id = worker::random_id};
        return as<worker::WorkerRegistry>(
            zookeeper::ZooKeeperWorkerRegistry::make(zookeeper_options(config), std::move(join)));
    }
    auto database = open_lease_database(config);
    if (!database) return database.error();
    sql::WorkerRegistryOptions options{.name = config.snowflake.name, .space = *space, .new_id = worker::random_id};
    return std::unique_ptr<worker::WorkerRegistry>(
        std::make_unique<sql::SqlWorkerRegistry>(std::move(*database), std::move(options)));
}

Result<std::unique_ptr<worker::WorkerAdmin>> make_worker_admin(const Config& config) {
    if (config.snowflake.registry == Registry::fixed) return no_registry();
    if (config.snowflake.registry == Registry::zookeeper) {
        return as<worker::WorkerAdmin>(zookeeper::ZooKeeperWorkerAdmin::make(zookeeper_options(config)));
    }
    auto database = open_lease_database(config);
    if (!database) return database.error();
    return std::unique_ptr<worker::WorkerAdmin>(
        std::make_unique<sql::SqlWorkerAdmin>(std::move(*database), config.snowflake.name));
}

}  // namespace frond::server
