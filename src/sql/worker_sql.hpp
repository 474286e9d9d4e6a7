// Every SQL statement about frond_worker, in one place. Texts only; parameters are :names. Thread-safe.
#pragma once

#include "sql/database_url.hpp"
#include "sql/leaf_sql.hpp"

#include <cstddef>
#include <string>

namespace frond::sql {

// The columns of the selects, in their order.
enum WorkerColumn : std::size_t {
    worker_col_id,
    worker_col_version,
    worker_col_record,
    worker_col_modified,
    worker_columns
};

class WorkerSql {
public:
    explicit WorkerSql(Engine engine) noexcept : engine_(engine) {}

    // The server's clock in ms since the Unix epoch: one column. MySQL only.
    [[nodiscard]] static std::string select_clock();

    [[nodiscard]] std::string select_all() const;           // :name
    [[nodiscard]] std::string select_row(Lock lock) const;  // :name, :id
    [[nodiscard]] std::string select_made_for() const;      // :name, :maker
    [[nodiscard]] static std::string insert();              // :name, :id, :version, :record, :maker, :modified
    [[nodiscard]] std::string replace() const;              // :name, :id, :old, :new, :record, :modified

private:
    [[nodiscard]] std::string select() const;
    // Which rows are those of :name.
    [[nodiscard]] std::string of_name() const;

    Engine engine_;
};

}  // namespace frond::sql
