#include "sql/dialect.hpp"
#include "sql/query.hpp"

#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>

namespace frond::sql {
namespace {

// A single cell; "" when there is none.
std::string ask(soci::session& session, const char* sql) {
    const auto cells = Query(session, sql).row(1);
    return cells ? cells->front().value_or("") : "";
}

// open() made it. SOCI hides the type from the sanitizer that checks such casts.
[[gnu::no_sanitize("vptr")]] sqlite_api::sqlite3* connection_of(soci::session& session) {
    return static_cast<soci::sqlite3_session_backend*>(session.get_backend())->conn_;
}

class SqliteDialect final : public Dialect {
public:
    SqliteDialect(const DatabaseOptions& options, const DatabaseUrl& url)
        : path_(url.path), busy_timeout_(options.query_timeout) {}

    [[nodiscard]] Engine engine() const noexcept override { return Engine::sqlite; }

    // IMMEDIATE takes the write lock now: a transaction that reads first and writes later fails at once, without
    // waiting, when another one has written in between.
    [[nodiscard]] std::string_view begin() const noexcept override { return "BEGIN IMMEDIATE"; }

    [[nodiscard]] std::unique_ptr<soci::session> open() const override {
        // SOCI would create an empty database.
        if (std::error_code ec; !std::filesystem::exists(path_, ec)) {
            throw SetupError(fmt::format("the SQLite file '{}' does not exist: run `frond init` first", path_));
        }
        return open_or_create();
    }

    [[nodiscard]] bool alive(soci::session&) const noexcept override { return true; }

    // The open file lives on without a name, and what is written to it is seen by nobody else.
    [[nodiscard]] bool astray(soci::session& session) const noexcept override {
        int moved = 0;
        const int asked =
            sqlite_api::sqlite3_file_control(connection_of(session), nullptr, SQLITE_FCNTL_HAS_MOVED, &moved);
        return asked != SQLITE_OK || moved != 0;
    }

    [[nodiscard]] Fault fault(const soci::soci_error& error) const noexcept override {
        if (dynamic_cast<const SetupError*>(&error) != nullptr) return Fault::refused;
        const auto* sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
        switch (sqlite != nullptr ? sqlite->result() : SQLITE_OK) {
            case SQLITE_BUSY:
            case SQLITE_LOCKED:
                return Fault::lost;  // the busy time-out is over
            case SQLITE_CONSTRAINT:
                return Fault::duplicate;
            case SQLITE_CANTOPEN:
            case SQLITE_NOTADB:
            case SQLITE_PERM:
            case SQLITE_READONLY:
                return Fault::refused;
            default:
                // SQLite has no code of its own for this.
                return error.get_error_message().find("no such table") != std::string::npos ? Fault::no_table
                                                                                            : Fault::other;
        }
    }

    [[nodiscard]] std::optional<std::string> create_database() const override {
        std::error_code ec;
        if (std::filesystem::exists(path_, ec)) return std::nullopt;
        static_cast<void>(open_or_create());
        return fmt::format("created the SQLite file {}", path_);
    }

private:
    [[nodiscard]] std::unique_ptr<soci::session> open_or_create() const {
        auto session = std::make_unique<soci::session>(
            soci::sqlite3, fmt::format("db=\"{}\" timeout={}", path_, busy_timeout_.count()));
        set_up(*session);
        return session;
    }

    // Read back, since a file system without shared memory, or another writer, can keep WAL from taking.
    void set_up(soci::session& session) const {
        if (ask(session, "PRAGMA journal_mode") != "wal") {
            const std::string mode = ask(session, "PRAGMA journal_mode = WAL");
            if (mode != "wal") throw setup_error("journal_mode", mode, "wal");
        }
        Query(session, "PRAGMA synchronous = FULL").execute();
        const std::string synchronous = ask(session, "PRAGMA synchronous");
        if (synchronous != "2") throw setup_error("synchronous", synchronous, "2 (FULL)");
    }

    [[nodiscard]] SetupError setup_error(const char* pragma, const std::string& found, const char* wanted) const {
        return SetupError(
            fmt::format("the SQLite file '{}' is not durable: {} is {}, must be {}; use a local file system", path_,
                        pragma, found, wanted));
    }

    const std::string path_;
    const std::chrono::seconds busy_timeout_;
};

}  // namespace

std::unique_ptr<Dialect> make_sqlite_dialect(const DatabaseOptions& options, const DatabaseUrl& url) {
    return std::make_unique<SqliteDialect>(options, url);
}

}  // namespace frond::sql
