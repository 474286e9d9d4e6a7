// Where a database is and how to talk to it: the URL of a [[database]] entry and its other settings.
// Pure values and functions, no I/O; thread-safe.
#pragma once

#include <frond/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frond::sql {

enum class Engine { sqlite, mysql };

// A database URL, taken apart and percent-decoded.
struct DatabaseUrl {
    Engine engine = Engine::sqlite;
    std::string path;  // SQLite only: the file

    // MySQL and MariaDB only.
    std::string user;
    std::optional<std::string> password;
    std::string host;
    std::uint16_t port = 3306;
    std::string socket;  // path of a Unix socket; empty: TCP
    std::string database;

    // Without user and password: fit for logs, and the identity of the database.
    [[nodiscard]] std::string printable() const;

    bool operator==(const DatabaseUrl&) const = default;
};

// Forms:
//   sqlite:PATH
//   mysql://user[:password]@host[:port]/database
//   mysql://user[:password]@localhost/database?socket=PATH
// Percent escapes are decoded everywhere but in the host. errc::invalid_configuration for anything else: the detail
// says what was found and what is allowed, never a user or a password.
[[nodiscard]] Result<DatabaseUrl> parse_database_url(std::string_view url);

// One [[database]] entry.
struct DatabaseOptions {
    std::string name = "main";
    std::string url = "sqlite:frond.db";
    std::optional<std::string> password;      // instead of the URL's
    std::size_t pool_size = 4;                // sessions, at least 1
    std::chrono::seconds connect_timeout{2};  // at least 1 s; covers TCP and the handshake, not the name look-up
    std::chrono::seconds query_timeout{5};    // at least 1 s; of each wait for the server, and for a free session
    std::string tls_ca;                       // MySQL: PEM file of the CA that the server's certificate must chain to
};

}  // namespace frond::sql
