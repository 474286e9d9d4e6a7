#include "sql/worker_sql.hpp"

#include <fmt/format.h>

namespace frond::sql {

// Not through UNIX_TIMESTAMP, which goes by the session's time zone and takes an hour twice in autumn.
std::string WorkerSql::select_clock() {
    return "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000";
}

// utf8mb4_bin ignores spaces at the end; the lengths tell such names apart.
std::string WorkerSql::of_name() const {
    return engine_ == Engine::mysql ? "name = :name AND CHAR_LENGTH(name) = CHAR_LENGTH(:name)" : "name = :name";
}

std::string WorkerSql::select() const {
    return fmt::format("SELECT worker_id, version, record, modified FROM frond_worker WHERE {}", of_name());
}

std::string WorkerSql::select_all() const { return select(); }

std::string WorkerSql::select_row(Lock lock) const {
    const bool for_update = lock == Lock::yes && engine_ == Engine::mysql;
    return fmt::format("{} AND worker_id = :id{}", select(), for_update ? " FOR UPDATE" : "");
}

std::string WorkerSql::select_made_for() const {
    return fmt::format("{} AND maker = :maker AND worker_id >= 0 ORDER BY worker_id", select());
}

std::string WorkerSql::insert() {
    return "INSERT INTO frond_worker (name, worker_id, version, record, maker, modified) "
           "VALUES (:name, :id, :version, :record, :maker, :modified)";
}

std::string WorkerSql::replace() const {
    return fmt::format(
        "UPDATE frond_worker SET version = :new, record = :record, modified = :modified "
        "WHERE {} AND worker_id = :id AND version = :old",
        of_name());
}

}  // namespace frond::sql
