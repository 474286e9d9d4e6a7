// A key's row of the leaf schema, read and checked. Not thread-safe, as the session is not. Errors of the database:
// exceptions of type soci::soci_error.
#pragma once

#include "segment/step_policy.hpp"
#include "sql/dialect.hpp"
#include "sql/leaf_sql.hpp"
#include "sql/query.hpp"

#include <frond/result.hpp>

#include <soci/soci.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace frond::sql {

struct LeafRow {
    std::string key;
    std::int64_t max_id = 1;
    std::int64_t step = 1;
    std::string description;
    std::string update_time;  // as the database prints it
    std::int64_t delta = 1;
    std::int64_t remainder = 0;
    std::int64_t max_step = segment::default_max_step;
    std::int64_t accepted = 0;
    bool disabled = false;
    bool deleted = false;
};

// errc::key_misconfigured, naming key, column and value, for what is not an integer.
[[nodiscard]] Result<LeafRow> row_of(Cells cells);

// The row whose key is `key`, byte for byte; errc::key_not_found when there is none, deleted ones included.
[[nodiscard]] Result<LeafRow> read_row(soci::session& session, const Dialect& dialect, std::string_view key, Lock lock);

// Calls read(Extras::with), and read(Extras::without) where frond_key does not exist or may not be read: a database
// made by Leaf works as it is, and the table is noticed when it appears.
template <class Read>
auto with_or_without_extras(const Dialect& dialect, Read read) {
    try {
        return read(Extras::with);
    } catch (const soci::soci_error& error) {
        const Fault fault = dialect.fault(error);
        if (fault != Fault::no_table && fault != Fault::denied) throw;
    }
    return read(Extras::without);
}

}  // namespace frond::sql
