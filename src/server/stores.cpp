#include "server/stores.hpp"

#include "sql/key_admin.hpp"

#include <chrono>

namespace frond::server {

sql::DatabaseOptions database_options(const DatabaseConfig& database) {
    sql::DatabaseOptions options;
    options.name = database.name;
    options.url = database.url;
    if (!database.password.empty()) options.password = database.password;
    options.pool_size = static_cast<std::size_t>(database.pool_size);
    options.connect_timeout = std::chrono::floor<std::chrono::seconds>(database.connect_timeout);
    options.query_timeout = std::chrono::floor<std::chrono::seconds>(database.query_timeout);
    options.tls_ca = database.tls_ca;
    return options;
}

Result<std::shared_ptr<sql::Database>> make_database(const Config& config) {
    return sql::Database::make(database_options(config.databases.front()));
}

Result<std::unique_ptr<segment::KeyAdmin>> make_key_admin(const Config& config) {
    auto database = make_database(config);
    if (!database) return database.error();
    return std::unique_ptr<segment::KeyAdmin>(std::make_unique<sql::SqlKeyAdmin>(std::move(*database)));
}

}  // namespace frond::server
