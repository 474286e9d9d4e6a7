// From the configuration to the database: what the server and the key commands share.
#pragma once

#include "segment/store.hpp"
#include "server/config.hpp"
#include "sql/database.hpp"

#include <frond/result.hpp>

#include <memory>

namespace frond::server {

// One [[database]] entry as src/sql takes it.
[[nodiscard]] sql::DatabaseOptions database_options(const DatabaseConfig& database);

// The first database; opens no connection. errc::invalid_configuration.
[[nodiscard]] Result<std::shared_ptr<sql::Database>> make_database(const Config& config);

// Key administration over the first database; opens no connection. Errors as make_database().
[[nodiscard]] Result<std::unique_ptr<segment::KeyAdmin>> make_key_admin(const Config& config);

}  // namespace frond::server
