#include "sql/schema.hpp"

#include <algorithm>
#include <utility>

namespace frond::sql {
namespace {

constexpr std::string_view create = "CREATE TABLE IF NOT EXISTS ";

}  // namespace

std::vector<TableStatement> table_statements(std::string_view schema) {
    std::vector<TableStatement> all;
    std::string sql;
    while (!schema.empty()) {
        const std::string_view line = schema.substr(0, schema.find('\n'));
        schema.remove_prefix(std::min(schema.size(), line.size() + 1));
        if (line.empty() || line.starts_with("--")) continue;
        const bool last = line.ends_with(';');
        sql += last ? line.substr(0, line.size() - 1) : line;
        sql += '\n';
        if (!last) continue;
        const std::string table = sql.substr(create.size(), sql.find(' ', create.size()) - create.size());
        all.push_back({table, std::exchange(sql, {})});
    }
    return all;
}

}  // namespace frond::sql
