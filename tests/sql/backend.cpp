#include "backend.hpp"

#include "sql/query.hpp"
#include "support/mariadb_server.hpp"

#include <stdexcept>

namespace frond::sql {
namespace {

using test::MariadbServer;
using test::TempFolder;

class SqliteBackend final : public Backend {
public:
    [[nodiscard]] DatabaseOptions options() const override {
        DatabaseOptions options;
        options.url = "sqlite:" + (folder_.path() / "frond.db").string();
        return options;
    }

private:
    TempFolder folder_;
};

class MariadbBackend final : public Backend {
public:
    [[nodiscard]] DatabaseOptions options() const override {
        DatabaseOptions options;
        options.url = MariadbServer::shared().url(database_);
        return options;
    }

private:
    const std::string database_ = MariadbServer::shared().new_database();
};

}  // namespace

std::shared_ptr<Database> Backend::open() const {
    auto database = Database::make(options());
    if (!database) throw std::runtime_error(database.error().detail);
    return *database;
}

void Backend::execute(const std::string& sql) const {
    const auto done = open()->read(Audience::operators, [&](soci::session& session) -> Result<void> {
        Query(session, sql).execute();
        return {};
    });
    if (!done) throw std::runtime_error(sql + ": " + done.error().detail);
}

std::string Backend::ask(const std::string& sql) const {
    auto cell = open()->read(Audience::operators, [&](soci::session& session) -> Result<std::string> {
        const auto cells = Query(session, sql).row(1);
        return cells ? cells->front().value_or("NULL") : "no row";
    });
    if (!cell) throw std::runtime_error(sql + ": " + cell.error().detail);
    return *cell;
}

std::unique_ptr<Backend> make_backend(const std::string& engine) {
    if (engine == "sqlite") return std::make_unique<SqliteBackend>();
    return std::make_unique<MariadbBackend>();
}

}  // namespace frond::sql
