#include "sql/segment_store.hpp"

#include "base/key.hpp"
#include "segment/range.hpp"
#include "segment/step_policy.hpp"
#include "sql/durability.hpp"
#include "sql/leaf_row.hpp"
#include "sql/leaf_sql.hpp"
#include "sql/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace frond::sql {
namespace {

using segment::Grant;
using segment::Range;
using segment::StepRequest;

constexpr std::int64_t max_number = std::numeric_limits<std::int64_t>::max();

Error misconfigured(const LeafRow& row, const char* column, std::int64_t value) {
    return {errc::key_misconfigured, fmt::format("key '{}': {} is {}, expected at least 1", row.key, column, value)};
}

// What the row would give, without changing it.
Result<Grant> plan(const LeafRow& row, const StepRequest& request) {
    if (row.disabled || row.deleted) {
        return Error(errc::key_not_found, fmt::format("key '{}' is {}", row.key, row.deleted ? "deleted" : "disabled"));
    }
    if (row.step < 1) return misconfigured(row, "step", row.step);
    if (row.delta < 1) return misconfigured(row, "delta", row.delta);
    if (row.max_step < 1) return misconfigured(row, "max_step", row.max_step);
    const std::int64_t width = segment::decide_width(request, row.step, row.delta);
    if (row.max_id > max_number - width) {
        return Error(errc::key_exhausted,
                     fmt::format("key '{}': max_id is {}, {} more would pass 2^63 - 1", row.key, row.max_id, width));
    }
    const Range range{row.max_id, row.max_id + width, row.delta, row.remainder};
    if (const auto run = segment::run_of(range, row.key); !run) return run.error();
    if (segment::below_guard(request, row.max_id, row.accepted)) {
        return Error(errc::store_went_backwards,
                     fmt::format("key '{}': max_id is {}, but numbers below {} were given out", row.key, row.max_id,
                                 request.not_below));
    }
    return Grant{range, row.step, row.max_step, row.accepted};
}

// What an update that must meet one row met. None: somebody was faster, where the table's engine has no locks.
Result<void> exactly_one(std::int64_t rows, std::string_view key) {
    if (rows == 1) return {};
    if (rows == 0) return Error(errc::store_unavailable, fmt::format("key '{}' changed while it was read", key));
    return Error(errc::key_misconfigured,
                 fmt::format("key '{}': biz_tag is in {} rows of leaf_alloc, expected 1: it must be the primary key",
                             key, rows));
}

}  // namespace

Result<Grant> SqlSegmentStore::advance(std::string_view key, const StepRequest& request) {
    if (const auto valid = validate_key(key); !valid) return valid.error();
    return database_->transact(Audience::client, [&](soci::session& session) -> Result<Grant> {
        const Dialect& dialect = database_->dialect();
        const auto row = read_row(session, dialect, key, Lock::yes);
        if (!row) return row.error();
        auto grant = plan(*row, request);
        if (!grant) return grant;
        const auto [first, end, delta, remainder] = grant->range;
        const std::int64_t rows = Query(session, LeafSql(dialect.engine()).advance())
                                      .bind("width", end - first)
                                      .bind("key", key)
                                      .bind("old", first)
                                      .execute();
        if (const auto one = exactly_one(rows, key); !one) return one.error();
        return grant;
    });
}

Result<bool> SqlSegmentStore::hand_back(std::string_view key, std::int64_t from, std::int64_t end) {
    if (const auto valid = validate_key(key); !valid) return valid.error();
    if (from < 0 || from > end) return Error(errc::internal, fmt::format("cannot hand back [{}, {})", from, end));
    if (from == end) return true;
    return database_->transact(Audience::client, [&](soci::session& session) -> Result<bool> {
        const Dialect& dialect = database_->dialect();
        const auto row = read_row(session, dialect, key, Lock::yes);
        if (!row) return row.error();
        if (row->deleted || row->max_id != end) return false;
        const std::int64_t rows = Query(session, LeafSql(dialect.engine()).set_max_id())
                                      .bind("new", from)
                                      .bind("key", key)
                                      .bind("old", end)
                                      .execute();
        if (const auto one = exactly_one(rows, key); !one) return one.error();
        return true;
    });
}

Result<std::vector<std::string>> SqlSegmentStore::keys() {
    return database_->read(Audience::client, [&](soci::session& session) -> Result<std::vector<std::string>> {
        const Dialect& dialect = database_->dialect();
        const LeafSql sql(dialect.engine());
        const auto blocked_rows = with_or_without_extras(dialect, [&](Extras extras) {
            if (extras == Extras::without) return std::vector<Cells>();
            return Query(session, sql.select_blocked_keys()).rows(1);
        });
        std::unordered_set<std::string> blocked;
        for (const Cells& cells : blocked_rows) blocked.insert(cells.front().value_or(""));

        std::vector<std::string> keys;
        for (Cells& cells : Query(session, sql.select_keys()).rows(1)) {
            std::string key = std::move(cells.front()).value_or("");
            // Leaf's default '' and the like cannot be asked for.
            if (validate_key(key) && !blocked.contains(key)) keys.push_back(std::move(key));
        }
        std::sort(keys.begin(), keys.end());
        return keys;
    });
}

Result<std::vector<std::string>> SqlSegmentStore::durability_warnings() {
    return database_->read(Audience::client, [&](soci::session& session) -> Result<std::vector<std::string>> {
        return durability_warnings_of(session, database_->dialect());
    });
}

Result<void> SqlSegmentStore::check() {
    return database_->read(Audience::operators, [&](soci::session& session) -> Result<void> {
        const Dialect& dialect = database_->dialect();
        // Any key will do: what counts is that the statement works.
        static_cast<void>(with_or_without_extras(dialect, [&](Extras extras) {
            return Query(session, LeafSql(dialect.engine()).select_row(extras, Lock::no))
                .bind("key", "-")
                .row(leaf_columns);
        }));
        return {};
    });
}

}  // namespace frond::sql
