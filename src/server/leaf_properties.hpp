// Java's .properties format, as far as java.util.Properties reads it: comments, continued lines, escapes.
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace frond::server {

struct Property {
    std::string key;
    std::string value;
    std::size_t line;  // where it begins, from 1 on
};

// All properties in order; bytes are taken as UTF-8. Never fails: every text is a properties file.
[[nodiscard]] std::vector<Property> parse_properties(std::string_view text);

// A JDBC URL's parts.
struct JdbcUrl {
    std::string host;  // with brackets if it is IPv6
    std::string port;
    std::string database;
    std::string parameters;  // after '?'
};

// jdbc:mysql://host[:port]/database[?parameters], also jdbc:mariadb:. False when `text` is nothing of the kind or names
// several hosts.
[[nodiscard]] bool parse_jdbc_url(std::string_view text, JdbcUrl& out);

// Percent-encodes what may not stand in the user part of a URL.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace frond::server
