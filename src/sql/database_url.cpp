#include "sql/database_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace frond::sql {
namespace {

constexpr std::string_view mysql_prefix = "mysql://";
constexpr std::string_view sqlite_prefix = "sqlite:";
constexpr std::string_view forms =
    "allowed are sqlite:PATH, mysql://user[:password]@host[:port]/database and "
    "mysql://user@localhost/database?socket=PATH";

Error wrong(std::string_view what) {
    return {errc::invalid_configuration, fmt::format("database URL: {}; {}", what, forms)};
}

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// `part` names the part for the error; its text stays out of it, since it may be a secret.
Result<std::string> percent_decode(std::string_view text, std::string_view part) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return wrong(fmt::format("broken % escape in the {} (write % itself as %25)", part));
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        if (c == '\0') return wrong(fmt::format("zero byte in the {}", part));
        decoded += c;
    }
    return decoded;
}

Result<DatabaseUrl> parse_sqlite(std::string_view rest) {
    if (rest.starts_with("//") && !rest.starts_with("///")) {
        return wrong("sqlite: takes a path, found a host after '//'");
    }
    if (rest.find('?') != std::string_view::npos) return wrong("sqlite: takes no parameters (write ? itself as %3F)");
    auto path = percent_decode(rest, "path");
    if (!path) return path.error();
    if (path->empty()) return wrong("the path is empty");
    if (*path == ":memory:") return wrong("a database in memory would lose its numbers: give a file");
    // SOCI takes the path inside a connection string without an escape for these.
    if (path->find('"') != std::string::npos || path->find('=') != std::string::npos) {
        return wrong("the path must not hold '\"' or '='");
    }
    DatabaseUrl url;
    url.path = std::move(*path);
    return url;
}

// The host goes into a connection string; names and addresses need no other characters.
bool is_host(std::string_view host) noexcept {
    return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_' || c == ':';
    });
}

Result<void> parse_host_port(std::string_view text, DatabaseUrl& url) {
    std::string_view host = text;
    std::string_view port;
    bool has_port = false;
    const bool bracketed = text.starts_with('[');
    const std::size_t close = bracketed ? text.find(']') : 0;
    if (close == std::string_view::npos) return wrong("'[' without ']' in the host");
    const std::size_t colon = text.find(':', close);
    if (colon != std::string_view::npos) {
        host = text.substr(0, colon);
        port = text.substr(colon + 1);
        has_port = true;
    }
    if (bracketed) {
        if (host.size() != close + 1) return wrong("something between ']' and the port");
        host = host.substr(1, close - 1);
    }
    if (!is_host(host)) return wrong(host.empty() ? "the host is empty" : "the host is neither a name nor an address");
    url.host = host;
    if (!has_port) return {};
    const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (ec != std::errc() || end != port.data() + port.size() || url.port == 0) {
        return wrong("the port is not a number from 1 to 65535");
    }
    return {};
}

Result<void> parse_credentials(std::string_view text, DatabaseUrl& url) {
    const std::size_t colon = text.find(':');
    auto user = percent_decode(text.substr(0, colon), "user");
    if (!user) return user.error();
    if (user->empty()) return wrong("the user is empty");
    url.user = std::move(*user);
    if (colon == std::string_view::npos) return {};
    auto password = percent_decode(text.substr(colon + 1), "password");
    if (!password) return password.error();
    url.password = std::move(*password);
    return {};
}

Result<void> parse_parameters(std::string_view text, DatabaseUrl& url) {
    while (!text.empty()) {
        const std::string_view parameter = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), parameter.size() + 1));
        const std::string_view name = parameter.substr(0, parameter.find('='));
        if (name != "socket" || name.size() == parameter.size() || !url.socket.empty()) {
            return wrong(fmt::format("parameter '{}': the only one is socket=PATH, once", name));
        }
        auto socket = percent_decode(parameter.substr(name.size() + 1), "socket");
        if (!socket) return socket.error();
        if (socket->empty()) return wrong("the socket's path is empty");
        url.socket = std::move(*socket);
    }
    if (!url.socket.empty() && url.host != "localhost") {
        return wrong(fmt::format("a socket goes with the host localhost, found '{}'", url.host));
    }
    return {};
}

Result<DatabaseUrl> parse_mysql(std::string_view rest) {
    DatabaseUrl url;
    url.engine = Engine::mysql;
    const std::size_t slash = rest.find('/');
    const std::string_view authority = rest.substr(0, slash);
    const std::size_t at = authority.rfind('@');
    if (at == std::string_view::npos) return wrong("no user: '@' is missing before the host");
    if (const auto result = parse_credentials(authority.substr(0, at), url); !result) return result.error();
    if (const auto result = parse_host_port(authority.substr(at + 1), url); !result) return result.error();
    if (slash == std::string_view::npos) return wrong("no database after the host");

    rest.remove_prefix(slash + 1);
    const std::size_t question = rest.find('?');
    auto database = percent_decode(rest.substr(0, question), "database");
    if (!database) return database.error();
    if (database->empty()) return wrong("no database after the host");
    if (database->find('/') != std::string::npos) return wrong(fmt::format("the database '{}' holds a '/'", *database));
    url.database = std::move(*database);
    if (question != std::string_view::npos) {
        if (const auto result = parse_parameters(rest.substr(question + 1), url); !result) return result.error();
    }
    return url;
}

}  // namespace

std::string DatabaseUrl::printable() const {
    if (engine == Engine::sqlite) return fmt::format("sqlite:{}", path);
    if (!socket.empty()) return fmt::format("mysql://localhost/{}?socket={}", database, socket);
    const bool address6 = host.find(':') != std::string::npos;
    return fmt::format("mysql://{}{}{}:{}/{}", address6 ? "[" : "", host, address6 ? "]" : "", port, database);
}

Result<DatabaseUrl> parse_database_url(std::string_view url) {
    if (url.starts_with(mysql_prefix)) return parse_mysql(url.substr(mysql_prefix.size()));
    if (url.starts_with(sqlite_prefix)) return parse_sqlite(url.substr(sqlite_prefix.size()));
    const std::size_t end = url.find("://");
    if (end == std::string_view::npos || end == 0) return wrong("found no scheme that is known");
    return wrong(fmt::format("found the scheme '{}'", url.substr(0, end)));
}

}  // namespace frond::sql
