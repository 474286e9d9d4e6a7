#include "sql/key_admin.hpp"

#include "base/key.hpp"
#include "sql/key_settings.hpp"
#include "sql/leaf_row.hpp"
#include "sql/leaf_sql.hpp"
#include "sql/query.hpp"
#include "sql/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace frond::sql {
namespace {

using segment::KeyChange;
using segment::KeyRecord;

constexpr std::int64_t max_number = std::numeric_limits<std::int64_t>::max();

KeyRecord record_of(LeafRow row) {
    return {std::move(row.key),
            row.max_id,
            row.step,
            row.delta,
            row.remainder,
            row.max_step,
            std::move(row.description),
            std::move(row.update_time),
            row.disabled};
}

// The row of a key that is not deleted.
Result<LeafRow> read_live_row(soci::session& session, const Dialect& dialect, std::string_view key, Lock lock) {
    auto row = read_row(session, dialect, key, lock);
    if (row && row->deleted) return Error(errc::key_not_found, fmt::format("key '{}' is deleted", key));
    return row;
}

Result<KeyRecord> read_record(soci::session& session, const Dialect& dialect, std::string_view key) {
    auto row = read_live_row(session, dialect, key, Lock::no);
    if (!row) return row.error();
    return record_of(std::move(*row));
}

void put_extras(soci::session& session, const LeafSql& sql, const KeyRecord& record) {
    const auto run = [&](std::string text) {
        return Query(session, std::move(text))
            .bind("key", record.key)
            .bind("delta", record.delta)
            .bind("remainder", record.remainder)
            .bind("max_step", record.max_step)
            .bind("disabled", std::int64_t{record.disabled})
            .execute();
    };
    if (run(sql.update_extras()) == 0) run(sql.insert_extras());
}

bool has_extras(const KeyRecord& record) {
    const KeyRecord defaults;
    return record.delta != defaults.delta || record.remainder != defaults.remainder ||
           record.max_step != defaults.max_step || record.disabled != defaults.disabled;
}

// What frond_key remembers of a key, deleted or not.
struct Grave {
    bool table = false;  // frond_key exists
    bool deleted = false;
    std::int64_t floor = 0;
};

Result<Grave> read_grave(soci::session& session, const Dialect& dialect, std::string_view key) {
    Grave grave;
    const auto cells = with_or_without_extras(dialect, [&](Extras extras) -> std::optional<Cells> {
        grave.table = extras == Extras::with;
        if (!grave.table) return std::nullopt;
        return Query(session, LeafSql(dialect.engine()).select_grave()).bind("key", key).row(2);
    });
    if (!cells) return grave;
    const auto floor = integer_of(cells->at(1));
    if (!floor) {
        return Error(errc::key_misconfigured,
                     fmt::format("key '{}': floor is '{}', expected an integer", key, cells->at(1).value_or("NULL")));
    }
    grave.deleted = cells->at(0) != "0";
    grave.floor = *floor;
    return grave;
}

// `old` is the row of a deleted key that is still there.
void put_key(soci::session& session, const LeafSql& sql, const KeyRecord& record, std::int64_t max_id, bool old) {
    Query(session, old ? sql.revive_key() : sql.insert_key())
        .bind("key", record.key)
        .bind("max_id", max_id)
        .bind("step", record.step)
        .bind("description", record.description)
        .execute();
}

Result<void> create_key(soci::session& session, const Dialect& dialect, const KeyRecord& record) {
    const LeafSql sql(dialect.engine());
    const auto grave = read_grave(session, dialect, record.key);
    if (!grave) return grave.error();
    if (!grave->table && has_extras(record)) {
        return Error(errc::invalid_configuration,
                     "delta, remainder, max_step and disabled need the table frond_key: run `frond init`");
    }
    std::int64_t max_id = std::max(record.max_id, grave->floor);
    auto cells = Query(session, sql.select_row(Extras::without, Lock::yes)).bind("key", record.key).row(leaf_columns);
    const bool old = cells.has_value();
    if (old) {
        if (cells->at(col_key) != record.key) {
            return Error(errc::key_exists,
                         fmt::format("leaf_alloc takes '{}' for the same key", cells->at(col_key).value_or("")));
        }
        if (!grave->deleted) return Error(errc::key_exists, fmt::format("key '{}' exists", record.key));
        const auto row = row_of(std::move(*cells));
        if (!row) return row.error();
        max_id = std::max(max_id, row->max_id);
    }
    put_key(session, sql, record, max_id, old);
    if (grave->table) put_extras(session, sql, record);
    return {};
}

void apply(const KeyChange& change, KeyRecord& record) {
    record.step = change.step.value_or(record.step);
    record.delta = change.delta.value_or(record.delta);
    record.remainder = change.remainder.value_or(record.remainder);
    record.max_step = change.max_step.value_or(record.max_step);
    record.description = change.description.value_or(record.description);
    record.disabled = change.disabled.value_or(record.disabled);
}

Result<void> validate_raise(std::int64_t n) {
    if (n >= 1) return {};
    return Error(errc::bad_request, fmt::format("cannot raise by {}, expected at least 1", n));
}

Error exhausted(std::string_view key, std::string_view max_id, std::int64_t n) {
    return {errc::key_exhausted, fmt::format("key '{}': max_id is {}, {} more would pass 2^63 - 1", key, max_id, n)};
}

}  // namespace

Result<std::vector<std::string>> SqlKeyAdmin::init() {
    std::vector<std::string> done;
    auto created = database_->create();
    if (!created) return created.error();
    if (*created) done.push_back(std::move(**created));

    const Engine engine = database_->dialect().engine();
    std::vector<TableStatement> tables = table_statements(leaf_schema(engine));
    std::ranges::move(table_statements(worker_schema(engine)), std::back_inserter(tables));
    for (const auto& [table, statement] : tables) {
        auto sentence = database_->read(Audience::operators, [&](soci::session& session) -> Result<std::string> {
            if (Query(session, LeafSql(engine).select_table()).bind("table", table).row(1)) {
                return fmt::format("table {} is there already: left as it is", table);
            }
            Query(session, statement).execute();
            return fmt::format("created table {}", table);
        });
        if (!sentence) return sentence.error();
        done.push_back(std::move(*sentence));
    }
    return done;
}

Result<void> SqlKeyAdmin::create(const KeyRecord& record) {
    if (const auto valid = validate_record(record); !valid) return valid;
    auto done = database_->transact(
        Audience::operators, [&](soci::session& session) { return create_key(session, database_->dialect(), record); });
    // The key or the description does not fit the table's character set.
    if (!done && done.error().code == errc::key_not_found) done.error().code = errc::invalid_key;
    return done;
}

Result<std::vector<KeyRecord>> SqlKeyAdmin::list(std::string_view prefix, std::string_view after, std::size_t limit) {
    return database_->read(Audience::operators, [&](soci::session& session) -> Result<std::vector<KeyRecord>> {
        const Dialect& dialect = database_->dialect();
        const LeafSql sql(dialect.engine());
        auto rows = with_or_without_extras(dialect, [&](Extras extras) {
            return Query(session, sql.select_page(extras))
                .bind("prefix", prefix)
                .bind("after", after)
                .bind("limit", static_cast<std::int64_t>(std::min<std::size_t>(limit, max_number)))
                .rows(leaf_columns);
        });
        std::vector<KeyRecord> records;
        records.reserve(rows.size());
        for (Cells& cells : rows) {
            auto row = row_of(std::move(cells));
            if (!row) return row.error();
            records.push_back(record_of(std::move(*row)));
        }
        return records;
    });
}

Result<KeyRecord> SqlKeyAdmin::show(std::string_view key) {
    if (const auto valid = validate_key(key); !valid) return valid.error();
    return database_->read(Audience::operators,
                           [&](soci::session& session) { return read_record(session, database_->dialect(), key); });
}

Result<KeyRecord> SqlKeyAdmin::change(std::string_view key, const KeyChange& change) {
    if (const auto valid = validate_key(key); !valid) return valid.error();
    return database_->transact(Audience::operators, [&](soci::session& session) -> Result<KeyRecord> {
        const Dialect& dialect = database_->dialect();
        const LeafSql sql(dialect.engine());
        auto row = read_live_row(session, dialect, key, Lock::yes);
        if (!row) return row.error();
        KeyRecord record = record_of(std::move(*row));
        apply(change, record);
        if (const auto valid = validate_record(record); !valid) return valid.error();
        if (change.step || change.description) {
            Query(session, sql.update_key())
                .bind("key", key)
                .bind("step", record.step)
                .bind("description", record.description)
                .execute();
        }
        if (change.delta || change.remainder || change.max_step || change.disabled) put_extras(session, sql, record);
        return read_record(session, dialect, key);
    });
}

Result<KeyRecord> SqlKeyAdmin::accept(std::string_view key) {
    if (const auto valid = validate_key(key); !valid) return valid.error();
    return database_->transact(Audience::operators, [&](soci::session& session) -> Result<KeyRecord> {
        const Dialect& dialect = database_->dialect();
        const LeafSql sql(dialect.engine());
        auto row = read_live_row(session, dialect, key, Lock::yes);
        if (!row) return row.error();
        const std::int64_t rows = Query(session, sql.update_accepted()).bind("key", key).execute();
        if (rows == 0) Query(session, sql.insert_accepted()).bind("key", key).execute();
        return record_of(std::move(*row));
    });
}

Result<std::int64_t> SqlKeyAdmin::raise_all(std::int64_t n) {
    if (const auto valid = validate_raise(n); !valid) return valid.error();
    return database_->transact(Audience::operators, [&](soci::session& session) -> Result<std::int64_t> {
        const LeafSql sql(database_->dialect().engine());
        if (const auto cells = Query(session, sql.select_not_raisable()).bind("n", n).row(2)) {
            return exhausted(cells->at(0).value_or(""), cells->at(1).value_or("NULL"), n);
        }
        with_or_without_extras(database_->dialect(), [&](Extras extras) {
            return extras == Extras::with ? Query(session, sql.raise_floors()).bind("n", n).execute() : 0;
        });
        return Query(session, sql.raise_all()).bind("n", n).execute();
    });
}

Result<KeyRecord> SqlKeyAdmin::raise(std::string_view key, std::int64_t n) {
    if (const auto valid = validate_key(key); !valid) return valid.error();
    if (const auto valid = validate_raise(n); !valid) return valid.error();
    return database_->transact(Audience::operators, [&](soci::session& session) -> Result<KeyRecord> {
        const Dialect& dialect = database_->dialect();
        const auto row = read_live_row(session, dialect, key, Lock::yes);
        if (!row) return row.error();
        if (row->max_id > max_number - n) return exhausted(key, std::to_string(row->max_id), n);
        Query(session, LeafSql(dialect.engine()).set_max_id())
            .bind("key", key)
            .bind("new", row->max_id + n)
            .bind("old", row->max_id)
            .execute();
        return read_record(session, dialect, key);
    });
}

}  // namespace frond::sql
