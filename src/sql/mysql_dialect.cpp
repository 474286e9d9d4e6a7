#include "sql/dialect.hpp"
#include "sql/query.hpp"

#include <fmt/format.h>
#include <mysqld_error.h>
#include <soci/mysql/soci-mysql.h>

#include <algorithm>

namespace frond::sql {
namespace {

// A value inside SOCI's connection string.
std::string quote(std::string_view value) {
    std::string quoted = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

// SOCI hands the host to the client library as it is, and the library takes "name=value;…" there: the only way to
// verify the server's certificate before the log-in. The last ';' matters: without it the library reads too far.
std::string host_options(const std::string& host, bool tls) {
    return fmt::format("host={};local-infile=0;{}", host, tls ? "ssl-verify-server-cert=1;" : "");
}

std::string connect_string(const DatabaseOptions& options, const DatabaseUrl& url) {
    const bool tls = !options.tls_ca.empty();
    std::string text = fmt::format(
        "host={} user={} password={} db={} charset=utf8mb4 connect_timeout={} read_timeout={} write_timeout={}",
        quote(host_options(url.host, tls)), quote(url.user),
        quote(options.password ? *options.password : url.password.value_or("")), quote(url.database),
        options.connect_timeout.count(), options.query_timeout.count(), options.query_timeout.count());
    if (url.socket.empty()) {
        text += fmt::format(" port={}", url.port);
    } else {
        text += fmt::format(" unix_socket={}", quote(url.socket));
    }
    if (tls) text += fmt::format(" sslca={}", quote(options.tls_ca));
    return text;
}

// Locks are waited for on the server for less than the read time-out, so that waiting ends as an error and not as a
// lost connection. A client that stops in mid-transaction loses its locks (MariaDB only).
std::string set_up_statement(std::chrono::seconds query_timeout) {
    return fmt::format(
        "SET SESSION autocommit = 1, sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
        "innodb_lock_wait_timeout = {0}, lock_wait_timeout = {0} /*M!100300 , idle_transaction_timeout = {1} */",
        std::max<std::chrono::seconds::rep>(1, query_timeout.count() / 2), 2 * query_timeout.count());
}

// The sanitizer's check would need the class's type information, which SOCI's library hides.
__attribute__((no_sanitize("vptr"))) MYSQL* handle(soci::session& session) {
    return static_cast<soci::mysql_session_backend*>(session.get_backend())->conn_;
}

Fault fault_of(unsigned number) noexcept {
    switch (number) {
        case ER_LOCK_DEADLOCK:
        case ER_LOCK_WAIT_TIMEOUT:
        case ER_CHECKREAD:  // the row changed since the snapshot (MariaDB's innodb_snapshot_isolation)
            return Fault::retry;
        case ER_CANT_AGGREGATE_2COLLATIONS:
        case ER_CANT_AGGREGATE_3COLLATIONS:
        case ER_CANT_AGGREGATE_NCOLLATIONS:
        case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD:
            return Fault::bad_text;
        case ER_DUP_ENTRY:
            return Fault::duplicate;
        case ER_NO_SUCH_TABLE:
            return Fault::no_table;
        case ER_TABLEACCESS_DENIED_ERROR:
        case ER_COLUMNACCESS_DENIED_ERROR:
            return Fault::denied;
        case ER_ACCESS_DENIED_ERROR:
        case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
        case ER_DBACCESS_DENIED_ERROR:
        case ER_BAD_DB_ERROR:
        case ER_HOST_NOT_PRIVILEGED:
        case CR_SSL_CONNECTION_ERROR:
        case CR_AUTH_PLUGIN_CANNOT_LOAD:
            return Fault::refused;
        case CR_CONNECTION_ERROR:
        case CR_CONN_HOST_ERROR:
        case CR_UNKNOWN_HOST:
        case CR_SERVER_GONE_ERROR:
        case CR_SERVER_LOST:
        case ER_CONNECTION_KILLED:
        case ER_SERVER_SHUTDOWN:
            return Fault::lost;
        default:
            return Fault::other;
    }
}

class MysqlDialect final : public Dialect {
public:
    MysqlDialect(const DatabaseOptions& options, const DatabaseUrl& url)
        : connect_string_(connect_string(options, url)),
          set_up_statement_(set_up_statement(options.query_timeout)),
          tls_(!options.tls_ca.empty()) {}

    [[nodiscard]] Engine engine() const noexcept override { return Engine::mysql; }

    [[nodiscard]] std::string_view begin() const noexcept override { return "START TRANSACTION"; }

    [[nodiscard]] std::unique_ptr<soci::session> open() const override {
        // SOCI initialises the client library once, thread-safely; the library needs nothing per thread.
        auto session = std::make_unique<soci::session>(soci::mysql, connect_string_);
        if (tls_ && mysql_get_ssl_cipher(handle(*session)) == nullptr) {
            throw SetupError("tls_ca is set, but the session is not encrypted");
        }
        Query(*session, set_up_statement_).execute();
        return session;
    }

    // A connection ends with its server.
    [[nodiscard]] bool astray(soci::session&) const noexcept override { return false; }

    [[nodiscard]] bool alive(soci::session& session) const noexcept override {
        return mysql_ping(handle(session)) == 0;
    }

    [[nodiscard]] Fault fault(const soci::soci_error& error) const noexcept override {
        if (dynamic_cast<const SetupError*>(&error) != nullptr) return Fault::refused;
        const auto* mysql = dynamic_cast<const soci::mysql_soci_error*>(&error);
        return mysql != nullptr ? fault_of(mysql->err_num_) : Fault::other;
    }

    [[nodiscard]] std::optional<std::string> create_database() const override { return std::nullopt; }

private:
    const std::string connect_string_;  // holds the password
    const std::string set_up_statement_;
    const bool tls_;
};

}  // namespace

std::unique_ptr<Dialect> make_mysql_dialect(const DatabaseOptions& options, const DatabaseUrl& url) {
    return std::make_unique<MysqlDialect>(options, url);
}

}  // namespace frond::sql
