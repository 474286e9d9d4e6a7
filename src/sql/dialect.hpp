// What differs between SQLite and MySQL: opening a session so that it is durable and cannot hang, beginning a
// transaction, and what an error means. Immutable: thread-safe.
#pragma once

#include "sql/database_url.hpp"

#include <soci/soci.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace frond::sql {

// What an exception of SOCI means to us.
enum class Fault {
    lost,       // the connection is gone, or there was no answer in time: what was under way may have been done
    retry,      // deadlock or lock time-out: rolled back, and may work at once
    bad_text,   // the table's character set cannot hold or compare the text
    duplicate,  // a row with this key exists
    no_table,   // a table does not exist
    denied,     // no permission on a table
    refused,    // not usable as configured: wrong password, no such database, no TLS, no such file
    other,
};

// A session that opened but is not as it must be, or that cannot be opened as configured. Fault::refused.
class SetupError : public soci::soci_error {
public:
    using soci::soci_error::soci_error;
};

class Dialect {
public:
    virtual ~Dialect() = default;

    [[nodiscard]] virtual Engine engine() const noexcept = 0;
    // Statement that begins a transaction which is going to write.
    [[nodiscard]] virtual std::string_view begin() const noexcept = 0;

    // A new session, set up and checked. Blocks up to the time-outs; throws soci::soci_error.
    [[nodiscard]] virtual std::unique_ptr<soci::session> open() const = 0;
    // Asks the server whether the session still works. Blocks up to the time-outs.
    [[nodiscard]] virtual bool alive(soci::session& session) const noexcept = 0;
    // Whether the session works on what is no longer the database at its address (a file that was deleted or replaced).
    // Cheap: asked before every use.
    [[nodiscard]] virtual bool astray(soci::session& session) const noexcept = 0;
    [[nodiscard]] virtual Fault fault(const soci::soci_error& error) const noexcept = 0;

    // Creates what open() expects to be there (SQLite's file). A sentence when it did something. Throws as open().
    [[nodiscard]] virtual std::optional<std::string> create_database() const = 0;
};

[[nodiscard]] std::unique_ptr<Dialect> make_sqlite_dialect(const DatabaseOptions& options, const DatabaseUrl& url);
[[nodiscard]] std::unique_ptr<Dialect> make_mysql_dialect(const DatabaseOptions& options, const DatabaseUrl& url);

}  // namespace frond::sql
