#include "sql/leaf_sql.hpp"

#include <fmt/format.h>

namespace frond::sql {

std::string LeafSql::touch(const char* column) const {
    return engine_ == Engine::sqlite ? fmt::format(", {} = CURRENT_TIMESTAMP", column) : "";
}

// SQLite keeps text and floating-point numbers in integer columns: they are marked, so that they never pass for
// integers.
std::string LeafSql::integer(const char* column) const {
    if (engine_ == Engine::mysql) return column;
    return fmt::format("CASE typeof({0}) WHEN 'integer' THEN {0} ELSE typeof({0}) || ' ' || {0} END", column);
}

std::string LeafSql::columns(Extras extras) const {
    return fmt::format("a.biz_tag, {}, {}, a.description, a.update_time, {}", integer("a.max_id"), integer("a.step"),
                       extras == Extras::with ? "f.delta, f.remainder, f.max_step, f.disabled, f.deleted, f.accepted"
                                              : "NULL, NULL, NULL, NULL, NULL, NULL");
}

std::string LeafSql::extras_key() const {
    return engine_ == Engine::mysql ? "key_name = :key AND CHAR_LENGTH(key_name) = CHAR_LENGTH(:key)"
                                    : "key_name = :key";
}

// MySQL's collations may take other spellings for the same key, and utf8mb4_bin still ignores spaces at the end; the
// lengths tell them apart.
std::string LeafSql::tables(Extras extras) const {
    if (extras == Extras::without) return "leaf_alloc a";
    if (engine_ == Engine::sqlite) {
        return "leaf_alloc a LEFT JOIN frond_key f ON f.key_name = a.biz_tag COLLATE BINARY";
    }
    return "leaf_alloc a LEFT JOIN frond_key f ON f.key_name = CONVERT(a.biz_tag USING utf8mb4) COLLATE utf8mb4_bin "
           "AND CHAR_LENGTH(f.key_name) = CHAR_LENGTH(a.biz_tag)";
}

std::string LeafSql::select_row(Extras extras, Lock lock) const {
    const bool for_update = lock == Lock::yes && engine_ == Engine::mysql;
    return fmt::format("SELECT {} FROM {} WHERE a.biz_tag = :key{}", columns(extras), tables(extras),
                       for_update ? " FOR UPDATE" : "");
}

std::string LeafSql::select_page(Extras extras) const {
    const bool mysql = engine_ == Engine::mysql;
    const char* bytes = mysql ? "CAST(CONVERT(a.biz_tag USING utf8mb4) AS BINARY)" : "CAST(a.biz_tag AS BLOB)";
    const char* begins =
        mysql ? "LEFT({0}, LENGTH(:prefix)) = CAST(:prefix AS BINARY) AND {0} > CAST(:after AS BINARY)"
              : "substr({0}, 1, length(CAST(:prefix AS BLOB))) = CAST(:prefix AS BLOB) AND {0} > CAST(:after AS BLOB)";
    return fmt::format("SELECT {} FROM {} WHERE {}{} ORDER BY {} LIMIT :limit", columns(extras), tables(extras),
                       fmt::format(fmt::runtime(begins), bytes),
                       extras == Extras::with ? " AND COALESCE(f.deleted, 0) = 0" : "", bytes);
}

std::string LeafSql::select_keys() const { return "SELECT biz_tag FROM leaf_alloc"; }

std::string LeafSql::select_blocked_keys() const {
    return "SELECT key_name FROM frond_key WHERE disabled <> 0 OR deleted <> 0";
}

std::string LeafSql::select_grave() const {
    return fmt::format("SELECT deleted, floor FROM frond_key WHERE {}{}", extras_key(),
                       engine_ == Engine::mysql ? " FOR UPDATE" : "");
}

// The comparison with the old value holds even where the table's engine has no locks; SQLite would turn a sum past
// 2^63 - 1 into a floating-point number.
std::string LeafSql::advance() const {
    return fmt::format(
        "UPDATE leaf_alloc SET max_id = max_id + :width{} WHERE biz_tag = :key AND max_id = :old "
        "AND max_id <= 9223372036854775807 - :width",
        touch("update_time"));
}

std::string LeafSql::set_max_id() const {
    return fmt::format("UPDATE leaf_alloc SET max_id = :new{} WHERE biz_tag = :key AND max_id = :old",
                       touch("update_time"));
}

std::string LeafSql::insert_key() const {
    return "INSERT INTO leaf_alloc (biz_tag, max_id, step, description) VALUES (:key, :max_id, :step, :description)";
}

std::string LeafSql::revive_key() const {
    return fmt::format(
        "UPDATE leaf_alloc SET max_id = :max_id, step = :step, description = :description{} WHERE biz_tag = :key",
        touch("update_time"));
}

std::string LeafSql::update_key() const {
    return fmt::format("UPDATE leaf_alloc SET step = :step, description = :description{} WHERE biz_tag = :key",
                       touch("update_time"));
}

std::string LeafSql::insert_extras() const {
    return "INSERT INTO frond_key (key_name, delta, remainder, max_step, disabled) "
           "VALUES (:key, :delta, :remainder, :max_step, :disabled)";
}

std::string LeafSql::update_extras() const {
    return fmt::format(
        "UPDATE frond_key SET delta = :delta, remainder = :remainder, max_step = :max_step, disabled = :disabled, "
        "deleted = 0{} WHERE {}",
        touch("updated_at"), extras_key());
}

std::string LeafSql::insert_accepted() const { return "INSERT INTO frond_key (key_name, accepted) VALUES (:key, 1)"; }

std::string LeafSql::update_accepted() const {
    return fmt::format("UPDATE frond_key SET accepted = accepted + 1{} WHERE {}", touch("updated_at"), extras_key());
}

std::string LeafSql::select_not_raisable() const {
    return fmt::format("SELECT biz_tag, {} FROM leaf_alloc WHERE max_id > 9223372036854775807 - :n{} LIMIT 1{}",
                       integer("max_id"), engine_ == Engine::sqlite ? " OR typeof(max_id) <> 'integer'" : "",
                       engine_ == Engine::mysql ? " FOR UPDATE" : "");
}

std::string LeafSql::raise_all() const {
    return fmt::format("UPDATE leaf_alloc SET max_id = max_id + :n{}", touch("update_time"));
}

std::string LeafSql::raise_floors() const {
    return fmt::format(
        "UPDATE frond_key SET floor = CASE WHEN floor > 9223372036854775807 - :n THEN 9223372036854775807 "
        "ELSE floor + :n END{} WHERE deleted <> 0",
        touch("updated_at"));
}

std::string LeafSql::select_table() const {
    return engine_ == Engine::sqlite
               ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name = :table"
               : "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
                 "AND table_name = :table";
}

}  // namespace frond::sql
