#include "sql/query.hpp"

#include <charconv>

namespace frond::sql {

std::optional<std::int64_t> integer_of(const std::optional<std::string>& cell) noexcept {
    if (!cell) return std::nullopt;
    std::int64_t value = 0;
    const char* const last = cell->data() + cell->size();
    const auto [end, ec] = std::from_chars(cell->data(), last, value);
    if (ec != std::errc() || end != last) return std::nullopt;
    return value;
}

Query::Query(soci::session& session, std::string sql) : statement_(session), sql_(std::move(sql)) {}

Query& Query::bind(const char* name, std::string_view value) {
    const std::string& text = texts_.emplace_back(value);
    statement_.exchange(soci::use(text, name));
    return *this;
}

Query& Query::bind(const char* name, std::int64_t value) {
    const long long& number = numbers_.emplace_back(value);
    statement_.exchange(soci::use(number, name));
    return *this;
}

void Query::prepare() {
    statement_.alloc();
    statement_.prepare(sql_);
    statement_.define_and_bind();
}

std::vector<Cells> Query::rows(std::size_t columns) {
    std::vector<std::string> texts(columns);
    std::vector<soci::indicator> states(columns, soci::i_null);
    for (std::size_t i = 0; i < columns; ++i) statement_.exchange(soci::into(texts[i], states[i]));
    prepare();

    std::vector<Cells> all;
    for (bool got = statement_.execute(true); got; got = statement_.fetch()) {
        Cells& cells = all.emplace_back(columns);
        for (std::size_t i = 0; i < columns; ++i) {
            if (states[i] != soci::i_null) cells[i] = texts[i];
        }
    }
    statement_.clean_up();
    return all;
}

std::optional<Cells> Query::row(std::size_t columns) {
    std::vector<Cells> all = rows(columns);
    if (all.empty()) return std::nullopt;
    return std::move(all.front());
}

std::int64_t Query::execute() {
    prepare();
    statement_.execute(true);
    const std::int64_t affected = statement_.get_affected_rows();
    statement_.clean_up();
    return affected;
}

}  // namespace frond::sql
