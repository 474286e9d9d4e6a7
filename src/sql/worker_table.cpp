#include "sql/worker_table.hpp"

#include "sql/worker_sql.hpp"

#include <utility>

namespace frond::sql {
namespace {

WorkerRow row_of(Cells cells) {
    return {integer_of(cells[worker_col_id]), integer_of(cells[worker_col_version]),
            std::move(cells[worker_col_record]).value_or(""), integer_of(cells[worker_col_modified])};
}

std::optional<WorkerRow> first_of(std::optional<Cells> cells) {
    if (!cells) return std::nullopt;
    return row_of(std::move(*cells));
}

}  // namespace

std::optional<worker::RegistryClock> WorkerTable::clock() {
    if (engine_ == Engine::sqlite) return std::nullopt;
    const SystemClock local;
    const SteadyTime asked = local.steady();
    const auto cells = Query(session_, WorkerSql::select_clock()).row(1);
    const SteadyTime answered = local.steady();
    const auto ms = cells ? integer_of(cells->front()) : std::nullopt;
    if (!ms) return std::nullopt;
    return worker::RegistryClock{*ms, asked + (answered - asked) / 2};
}

std::vector<WorkerRow> WorkerTable::all() {
    std::vector<WorkerRow> rows;
    for (Cells& cells : Query(session_, WorkerSql(engine_).select_all()).bind("name", name_).rows(worker_columns)) {
        rows.push_back(row_of(std::move(cells)));
    }
    return rows;
}

std::optional<WorkerRow> WorkerTable::row(std::int64_t worker_id, Lock lock) {
    return first_of(Query(session_, WorkerSql(engine_).select_row(lock))
                        .bind("name", name_)
                        .bind("id", worker_id)
                        .row(worker_columns));
}

std::optional<WorkerRow> WorkerTable::made_for(std::string_view maker) {
    return first_of(Query(session_, WorkerSql(engine_).select_made_for())
                        .bind("name", name_)
                        .bind("maker", maker)
                        .row(worker_columns));
}

void WorkerTable::insert(std::int64_t worker_id, std::int64_t version, std::string_view record, std::string_view maker,
                         std::int64_t modified_ms) {
    Query(session_, WorkerSql::insert())
        .bind("name", name_)
        .bind("id", worker_id)
        .bind("version", version)
        .bind("record", record)
        .bind("maker", maker)
        .bind("modified", modified_ms)
        .execute();
}

bool WorkerTable::replace(std::int64_t worker_id, std::int64_t from, std::int64_t to, std::string_view record,
                          std::int64_t modified_ms) {
    return Query(session_, WorkerSql(engine_).replace())
               .bind("name", name_)
               .bind("id", worker_id)
               .bind("old", from)
               .bind("new", to)
               .bind("record", record)
               .bind("modified", modified_ms)
               .execute() == 1;
}

std::int64_t modified_now(const std::optional<worker::RegistryClock>& clock) {
    return clock ? clock->ms : unix_ms(SystemClock().wall());
}

}  // namespace frond::sql
