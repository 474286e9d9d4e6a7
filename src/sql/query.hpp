// One SQL statement: named parameters in, rows of text out. Every value is read as the text that the database prints,
// and turned into a number by our own parser, so that nothing is cast silently. SQL text holds no ':' but parameters.
// Not thread-safe, as the session is not. Errors: exceptions of type soci::soci_error.
#pragma once

#include <soci/soci.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::sql {

// One row; NULL is nothing.
using Cells = std::vector<std::optional<std::string>>;

// The whole cell as a decimal integer; nothing when it is NULL or anything else.
[[nodiscard]] std::optional<std::int64_t> integer_of(const std::optional<std::string>& cell) noexcept;

class Query {
public:
    // `session` must outlive the query.
    Query(soci::session& session, std::string sql);
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    // Gives every :name in the statement a value.
    Query& bind(const char* name, std::string_view value);
    Query& bind(const char* name, std::int64_t value);

    // Runs the statement, once; `columns` is how many it yields.
    [[nodiscard]] std::vector<Cells> rows(std::size_t columns);
    // The first row, if there is one.
    [[nodiscard]] std::optional<Cells> row(std::size_t columns);
    // Rows inserted, or matched by an update, whether it changed them or not.
    std::int64_t execute();

private:
    void prepare();

    soci::statement statement_;
    const std::string sql_;
    // What SOCI holds references to until the statement has run: a deque, whose elements stay where they are.
    std::deque<std::string> texts_;
    std::deque<long long> numbers_;
};

}  // namespace frond::sql
