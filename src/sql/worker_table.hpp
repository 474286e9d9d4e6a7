// The rows of one name in frond_worker, read and written within a session. Not thread-safe, as the session is not.
// Errors of the database: exceptions of type soci::soci_error.
#pragma once

#include "sql/dialect.hpp"
#include "sql/leaf_sql.hpp"
#include "sql/query.hpp"
#include "worker/registry.hpp"

#include <soci/soci.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::sql {

// The worker ID of the row that belongs to the name itself. Its version is how many worker IDs were handed out.
inline constexpr std::int64_t name_row = -1;

// One row as it is; what is not an integer (SQLite takes anything) is nothing.
struct WorkerRow {
    std::optional<std::int64_t> worker_id;
    std::optional<std::int64_t> version;
    std::string record;
    std::optional<std::int64_t> modified_ms;
};

class WorkerTable {
public:
    // All outlive the table.
    WorkerTable(soci::session& session, const Dialect& dialect, std::string_view name)
        : session_(session), engine_(dialect.engine()), name_(name) {}

    // The server's clock, asked now; nothing for SQLite, which has none of its own.
    [[nodiscard]] std::optional<worker::RegistryClock> clock();

    // All rows of the name, its own too, as they were at one time.
    [[nodiscard]] std::vector<WorkerRow> all();
    // With Lock::yes: as of now, and held until the transaction ends; waits for transactions under way.
    [[nodiscard]] std::optional<WorkerRow> row(std::int64_t worker_id, Lock lock);
    // The row that was inserted for this maker.
    [[nodiscard]] std::optional<WorkerRow> made_for(std::string_view maker);

    void insert(std::int64_t worker_id, std::int64_t version, std::string_view record, std::string_view maker,
                std::int64_t modified_ms);
    // Replaces the row if its version is `from`; whether it was.
    [[nodiscard]] bool replace(std::int64_t worker_id, std::int64_t from, std::int64_t to, std::string_view record,
                               std::int64_t modified_ms);

private:
    soci::session& session_;
    const Engine engine_;
    const std::string_view name_;
};

// The time to write into `modified`: the server's, else the local wall clock.
[[nodiscard]] std::int64_t modified_now(const std::optional<worker::RegistryClock>& clock);

}  // namespace frond::sql
