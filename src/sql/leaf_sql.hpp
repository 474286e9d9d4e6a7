// Every SQL statement of the leaf schema, in one place. Texts only; parameters are :names. Thread-safe.
#pragma once

#include "sql/database_url.hpp"

#include <cstddef>
#include <string>

namespace frond::sql {

// Whether a statement also reads frond_key, which a database that was made by Leaf does not have.
enum class Extras { without, with };
enum class Lock { no, yes };

// The columns of select_row() and select_page(), in their order. With Extras::without, delta and after are NULL.
enum LeafColumn : std::size_t {
    col_key,
    col_max_id,
    col_step,
    col_description,
    col_update_time,
    col_delta,
    col_remainder,
    col_max_step,
    col_disabled,
    col_deleted,
    col_accepted,
    leaf_columns
};

class LeafSql {
public:
    explicit LeafSql(Engine engine) noexcept : engine_(engine) {}

    // The row that the database takes for :key, which may be another spelling.
    [[nodiscard]] std::string select_row(Extras extras, Lock lock) const;
    // At most :limit keys after :after that begin with :prefix, in the order of their bytes, without deleted ones.
    [[nodiscard]] std::string select_page(Extras extras) const;

    // All keys: one column.
    [[nodiscard]] std::string select_keys() const;
    // Keys that may not issue: one column.
    [[nodiscard]] std::string select_blocked_keys() const;
    // deleted and floor of :key in frond_key.
    [[nodiscard]] std::string select_grave() const;

    // Moves max_id from :old by :width, which is at least 1.
    [[nodiscard]] std::string advance() const;
    // Moves max_id from :old to :new.
    [[nodiscard]] std::string set_max_id() const;

    [[nodiscard]] std::string insert_key() const;       // :key, :max_id, :step, :description
    [[nodiscard]] std::string revive_key() const;       // the same, for a row that is there
    [[nodiscard]] std::string update_key() const;       // :key, :step, :description
    [[nodiscard]] std::string insert_extras() const;    // :key, :delta, :remainder, :max_step, :disabled
    [[nodiscard]] std::string update_extras() const;    // the same; a deleted key comes back
    [[nodiscard]] std::string insert_accepted() const;  // :key
    [[nodiscard]] std::string update_accepted() const;  // :key

    // A key whose max_id cannot be raised by :n, and its max_id as select_row() shows it: two columns.
    [[nodiscard]] std::string select_not_raisable() const;
    [[nodiscard]] std::string raise_all() const;     // by :n
    [[nodiscard]] std::string raise_floors() const;  // of deleted keys, by :n, to 2^63 - 1 at most

    // One row when :table exists.
    [[nodiscard]] std::string select_table() const;

private:
    // What a changed row needs where the database does not keep update_time itself.
    [[nodiscard]] std::string touch(const char* column) const;
    // Which row of frond_key is :key's.
    [[nodiscard]] std::string extras_key() const;
    [[nodiscard]] std::string integer(const char* column) const;
    [[nodiscard]] std::string columns(Extras extras) const;
    [[nodiscard]] std::string tables(Extras extras) const;

    Engine engine_;
};

}  // namespace frond::sql
