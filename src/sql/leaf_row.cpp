#include "sql/leaf_row.hpp"

#include <fmt/format.h>

#include <utility>

namespace frond::sql {
namespace {

// Reads integer cells of one row and keeps the first error.
class Integers {
public:
    explicit Integers(const Cells& cells) : cells_(cells) {}

    // NULL is an error.
    void read(std::size_t column, const char* name, std::int64_t& value) {
        if (const auto number = integer_of(cells_[column])) {
            value = *number;
        } else if (result_) {
            result_ = Error(errc::key_misconfigured,
                            fmt::format("key '{}': {} is '{}', expected an integer below 2^63",
                                        cells_[col_key].value_or("NULL"), name, cells_[column].value_or("NULL")));
        }
    }
    // NULL leaves the value as it is.
    void read_optional(std::size_t column, const char* name, std::int64_t& value) {
        if (cells_[column]) read(column, name, value);
    }
    void read_flag(std::size_t column, const char* name, bool& value) {
        std::int64_t number = value ? 1 : 0;
        read_optional(column, name, number);
        value = number != 0;
    }

    [[nodiscard]] const Result<void>& result() const noexcept { return result_; }

private:
    const Cells& cells_;
    Result<void> result_;
};

}  // namespace

Result<LeafRow> row_of(Cells cells) {
    LeafRow row;
    Integers integers(cells);
    integers.read(col_max_id, "max_id", row.max_id);
    integers.read(col_step, "step", row.step);
    integers.read_optional(col_delta, "delta", row.delta);
    integers.read_optional(col_remainder, "remainder", row.remainder);
    integers.read_optional(col_max_step, "max_step", row.max_step);
    integers.read_optional(col_accepted, "accepted", row.accepted);
    integers.read_flag(col_disabled, "disabled", row.disabled);
    integers.read_flag(col_deleted, "deleted", row.deleted);
    if (!integers.result()) return integers.result().error();
    row.key = std::move(cells[col_key]).value_or("");
    row.description = std::move(cells[col_description]).value_or("");
    row.update_time = std::move(cells[col_update_time]).value_or("");
    return row;
}

Result<LeafRow> read_row(soci::session& session, const Dialect& dialect, std::string_view key, Lock lock) {
    const LeafSql sql(dialect.engine());
    auto cells = with_or_without_extras(dialect, [&](Extras extras) {
        return Query(session, sql.select_row(extras, lock)).bind("key", key).row(leaf_columns);
    });
    if (!cells || cells->at(col_key) != key) return Error(errc::key_not_found, fmt::format("no key '{}'", key));
    return row_of(std::move(*cells));
}

}  // namespace frond::sql
