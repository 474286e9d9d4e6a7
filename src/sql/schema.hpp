// The tables that `frond init` makes, from conf/sql. Pure functions; thread-safe.
#pragma once

#include "sql/database_url.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace frond::sql {

// The text of conf/sql/ENGINE/leaf.sql: segment mode.
[[nodiscard]] std::string_view leaf_schema(Engine engine) noexcept;
// The text of conf/sql/ENGINE/worker.sql: leases of worker IDs.
[[nodiscard]] std::string_view worker_schema(Engine engine) noexcept;

// One CREATE TABLE IF NOT EXISTS, without comments and without ';'.
struct TableStatement {
    std::string table;
    std::string sql;
};

// The statements of a schema file. It holds nothing but such statements, each ended by ';' at the end of a line, and
// comments on lines of their own.
[[nodiscard]] std::vector<TableStatement> table_statements(std::string_view schema);

}  // namespace frond::sql
