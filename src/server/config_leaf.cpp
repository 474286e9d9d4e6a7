// Leaf's leaf.properties in terms of our own keys.
#include "server/config_sources.hpp"
#include "server/leaf_properties.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace frond::server {
namespace {

constexpr std::string_view name_key = "leaf.name";
constexpr std::string_view segment_key = "leaf.segment.enable";
constexpr std::string_view url_key = "leaf.jdbc.url";
constexpr std::string_view user_key = "leaf.jdbc.username";
constexpr std::string_view password_key = "leaf.jdbc.password";
constexpr std::string_view snowflake_key = "leaf.snowflake.enable";
constexpr std::string_view zookeeper_key = "leaf.snowflake.zk.address";
constexpr std::string_view port_key = "leaf.snowflake.port";
constexpr std::array known_keys{name_key,     segment_key,   url_key,       user_key,
                                password_key, snowflake_key, zookeeper_key, port_key};

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class LeafTranslator {
public:
    LeafTranslator(std::string_view text, const std::string& name, std::string host_name, Gathered& out)
        : name_(name), host_name_(std::move(host_name)), out_(out) {
        for (Property& property : parse_properties(text)) collect(std::move(property));
    }

    void translate() {
        const bool segment = mode(segment_key, "segment.enabled");
        const bool snowflake = mode(snowflake_key, "snowflake.enabled");
        translate_name(snowflake);
        segment ? translate_database() : skip({url_key, user_key, password_key}, segment_key);
        snowflake ? translate_registry() : skip({zookeeper_key, port_key}, snowflake_key);
    }

private:
    // The last of several lines for one key counts, as in Java.
    void collect(Property property) {
        if (std::ranges::find(known_keys, property.key) == known_keys.end()) {
            out_.errors.push_back(fmt::format("{}:{}: unknown key {}; Leaf's keys are {}", name_, property.line,
                                              property.key, fmt::join(known_keys, ", ")));
        } else {
            std::string key = property.key;
            properties_.insert_or_assign(std::move(key), std::move(property));
        }
    }

    [[nodiscard]] const Property* find(std::string_view key) const {
        const auto found = properties_.find(key);
        return found == properties_.end() ? nullptr : &found->second;
    }

    [[nodiscard]] std::string place(const Property& property) const {
        return fmt::format("{}:{} ({})", name_, property.line, property.key);
    }

    void error(const Property& property, std::string_view message) {
        out_.errors.push_back(fmt::format("{}: {}", place(property), message));
    }

    void set(const Property& property, std::string key, std::string value, bool hidden = false) {
        out_.notes.push_back(fmt::format("{}: {} = {}", place(property), key, hidden ? "…" : value));
        out_.settings.push_back({std::move(key), {RawValue::Type::untyped, std::move(value), {}}, place(property)});
    }

    // A mode that the file does not mention is on, as in Leaf's code; the file that Leaf ships switches both off.
    bool mode(std::string_view leaf_key, const std::string& key) {
        const Property* property = find(leaf_key);
        if (property == nullptr) {
            out_.notes.push_back(fmt::format("{}: {} = true, because {} is absent", name_, key, leaf_key));
            out_.settings.push_back({key, {RawValue::Type::untyped, "true", {}}, name_});
            return true;
        }
        const std::string value = lower(property->value);
        if (value != "true" && value != "false") error(*property, "expected true or false");
        set(*property, key, value == "true" ? "true" : "false");
        return value == "true";
    }

    // Without a name Leaf's nodes are under the text that Java makes of one that is missing.
    void translate_name(bool snowflake) {
        if (const Property* property = find(name_key)) {
            set(*property, "snowflake.name", property->value);
        } else if (snowflake) {
            out_.notes.push_back(fmt::format("{}: snowflake.name = null, because {} is absent", name_, name_key));
            out_.settings.push_back({"snowflake.name", {RawValue::Type::untyped, "null", {}}, name_});
        }
    }

    void translate_database() {
        const Property* property = find(url_key);
        JdbcUrl jdbc;
        if (property == nullptr || find(user_key) == nullptr) {
            out_.no_database = fmt::format("{}: {} is missing, and {} is not false", name_,
                                           property == nullptr ? url_key : user_key, segment_key);
        } else if (!parse_jdbc_url(property->value, jdbc)) {
            error(*property, "expected jdbc:mysql://host:port/database with one host");
        } else {
            translate_url(*property, jdbc);
        }
        if (const Property* password = find(password_key)) set(*password, "database.0.password", password->value, true);
    }

    void translate_url(const Property& property, const JdbcUrl& jdbc) {
        const Property& user = *find(user_key);
        set(property, "database.0.url",
            fmt::format("mysql://{}@{}:{}/{}", percent_encoded(user.value), jdbc.host, jdbc.port,
                        percent_encoded(jdbc.database)));
        out_.notes.push_back(place(user) + ": became part of database.0.url");
        if (!jdbc.parameters.empty()) {
            out_.notes.push_back(place(property) + ": the parameters after '?' are for Java's driver and are left out");
        }
    }

    // The port is only a label, with Leaf as with us: part of the identity, and shown in the worker's record.
    void translate_registry() {
        const Property* address = find(zookeeper_key);
        if (address == nullptr) {
            // Never the default, which would lease numbers past the Leaf servers that share the name.
            out_.notes.push_back(fmt::format("{}: snowflake.registry = zookeeper, as {} is on", name_, snowflake_key));
            out_.settings.push_back({"snowflake.registry", {RawValue::Type::untyped, "zookeeper", {}}, name_});
        } else {
            set(*address, "snowflake.registry", "zookeeper");
            translate_address(*address);
        }
        if (const Property* port = find(port_key)) set(*port, "snowflake.identity", host_name_ + ":" + port->value);
    }

    // A path after the servers is the root of everything that Leaf does, so its "/snowflake" is below it.
    void translate_address(const Property& address) {
        const std::size_t slash = std::min(address.value.find('/'), address.value.size());
        set(address, "zookeeper.connect", address.value.substr(0, slash));
        const std::string path = address.value.substr(slash);
        if (path.size() > 1) set(address, "zookeeper.root", path + ZookeeperConfig().root);
    }

    void skip(std::initializer_list<std::string_view> keys, std::string_view reason) {
        for (const std::string_view key : keys) {
            const Property* property = find(key);
            if (property == nullptr) continue;
            out_.notes.push_back(fmt::format("{}: not used, because {} is false", place(*property), reason));
        }
    }

    const std::string& name_;
    std::string host_name_;
    Gathered& out_;
    std::map<std::string, Property, std::less<>> properties_;
};

}  // namespace

void read_leaf_properties(std::string_view text, const std::string& name, const std::string& host_name, Gathered& out) {
    LeafTranslator(text, name, host_name, out).translate();
}

}  // namespace frond::server
