#include "server/config_keys.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

namespace frond::server {
namespace {

using namespace std::chrono_literals;

template <auto Member>
auto& server(Config& config, std::size_t) {
    return config.server.*Member;
}
template <auto Member>
auto& database(Config& config, std::size_t index) {
    return config.databases.at(index).*Member;
}
template <auto Member>
auto& segment(Config& config, std::size_t) {
    return config.segment.*Member;
}
template <auto Member>
auto& snowflake(Config& config, std::size_t) {
    return config.snowflake.*Member;
}
template <auto Member>
auto& zookeeper(Config& config, std::size_t) {
    return config.zookeeper.*Member;
}
template <auto Member>
auto& auth(Config& config, std::size_t) {
    return config.auth.*Member;
}
template <auto Member>
auto& tls(Config& config, std::size_t) {
    return config.tls.*Member;
}
template <auto Member>
auto& management_tls(Config& config, std::size_t) {
    return config.management_tls.*Member;
}
SnowflakeConfig& whole_snowflake(Config& config, std::size_t) { return config.snowflake; }
std::int64_t& max_keys(Config& config, std::size_t) { return config.metrics.max_keys; }

constexpr std::int64_t longest_text = 4096;
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

ConfigKey text(std::string_view name, FieldOf<std::string> field, std::int64_t min = 0,
               std::int64_t max = longest_text) {
    return {name, Kind::text, field, min, max};
}
ConfigKey secret(std::string_view name, FieldOf<std::string> field, std::int64_t min = 0) {
    return {name, Kind::secret, field, min, longest_text};
}
ConfigKey addresses(std::string_view name, FieldOf<std::vector<std::string>> field) {
    return {name, Kind::addresses, field, 1, 64};
}
ConfigKey flag(std::string_view name, FieldOf<bool> field) { return {name, Kind::flag, field}; }
ConfigKey whole(std::string_view name, FieldOf<std::int64_t> field, std::int64_t min, std::int64_t max) {
    return {name, Kind::whole, field, min, max};
}
ConfigKey size(std::string_view name, FieldOf<std::int64_t> field, std::int64_t min, std::int64_t max) {
    return {name, Kind::size, field, min, max};
}
ConfigKey duration(std::string_view name, FieldOf<milliseconds> field, milliseconds min, milliseconds max) {
    return {name, Kind::duration, field, min.count(), max.count()};
}
ConfigKey whole_seconds(std::string_view name, FieldOf<milliseconds> field) {
    return {name, Kind::whole_seconds, field, milliseconds(1s).count(), milliseconds(1h).count()};
}

// `Section` and `Member` lead to an enumeration whose values number `words`.
template <auto Section, auto Member>
ConfigKey word(std::string_view name, std::span<const std::string_view> words) {
    using Value = std::remove_cvref_t<decltype(Config().*Section.*Member)>;
    const auto set = [](Config& config, std::size_t index) { config.*Section.*Member = static_cast<Value>(index); };
    const auto get = [](const Config& config) { return static_cast<std::size_t>(config.*Section.*Member); };
    return {name, Kind::word, WordField{words, set, get}};
}

ConfigKey planned(ConfigKey key) {
    key.planned = true;
    return key;
}

constexpr std::array<std::string_view, 3> access_logs{"off", "sampled", "all"};
constexpr std::array<std::string_view, 2> schemas{"leaf", "tinyid"};
constexpr std::array<std::string_view, 3> registries{"static", "database", "zookeeper"};
constexpr std::array<std::string_view, 2> rollbacks{"hold", "reject"};
constexpr std::array<std::string_view, 3> log_formats{"auto", "json", "text"};
constexpr std::array<std::string_view, 6> log_levels{"trace", "debug", "info", "warning", "error", "off"};

ConfigKey log_level() {
    const auto set = [](Config& config, std::size_t index) { config.log.level = log_levels.at(index); };
    const auto get = [](const Config& config) {
        return static_cast<std::size_t>(std::ranges::find(log_levels, config.log.level) - log_levels.begin());
    };
    return {"log.level", Kind::word, WordField{log_levels, set, get}};
}

using Keys = std::vector<ConfigKey>;

Keys server_keys() {
    return {
        addresses("server.listen", server<&ServerConfig::listen>),
        addresses("server.management_listen", server<&ServerConfig::management_listen>),
        whole("server.threads", server<&ServerConfig::threads>, 0, 1024),
        duration("server.drain_delay", server<&ServerConfig::drain_delay>, 0s, 1h),
        duration("server.drain_timeout", server<&ServerConfig::drain_timeout>, 0s, 1h),
        whole("server.max_connections", server<&ServerConfig::max_connections>, 1, 1'000'000),
        size("server.header_limit", server<&ServerConfig::header_limit>, 512, 1 << 20),
        size("server.target_limit", server<&ServerConfig::target_limit>, 256, 1 << 20),
        size("server.body_limit", server<&ServerConfig::body_limit>, 0, 16 << 20),
        duration("server.request_timeout", server<&ServerConfig::request_timeout>, 100ms, 1h),
        duration("server.idle_timeout", server<&ServerConfig::idle_timeout>, 100ms, 24h),
        whole("server.max_batch", server<&ServerConfig::max_batch>, 1, 1'000'000),
        word<&Config::server, &ServerConfig::access_log>("server.access_log", access_logs),
    };
}

Keys database_keys() {
    return {
        text("database.name", database<&DatabaseConfig::name>, 1, 64),
        secret("database.url", database<&DatabaseConfig::url>, 1),  // may hold a password
        secret("database.password", database<&DatabaseConfig::password>),
        text("database.password_file", database<&DatabaseConfig::password_file>),
        whole("database.pool_size", database<&DatabaseConfig::pool_size>, 1, 256),
        whole_seconds("database.connect_timeout", database<&DatabaseConfig::connect_timeout>),
        whole_seconds("database.query_timeout", database<&DatabaseConfig::query_timeout>),
        text("database.tls_ca", database<&DatabaseConfig::tls_ca>),
    };
}

Keys segment_keys() {
    return {
        flag("segment.enabled", segment<&SegmentConfig::enabled>),
        planned(word<&Config::segment, &SegmentConfig::schema>("segment.schema", schemas)),
        duration("segment.refresh_interval", segment<&SegmentConfig::refresh_interval>, 100ms, 24h),
        duration("segment.refill_timeout", segment<&SegmentConfig::refill_timeout>, 10ms, 1min),
        whole("segment.max_waiters", segment<&SegmentConfig::max_waiters>, 1, 1'000'000),
    };
}

Keys snowflake_keys() {
    return {
        flag("snowflake.enabled", snowflake<&SnowflakeConfig::enabled>),
        text("snowflake.name", snowflake<&SnowflakeConfig::name>, 1, 128),
        {"snowflake.epoch", Kind::time, snowflake<&SnowflakeConfig::epoch_ms>},
        whole("snowflake.timestamp_bits", snowflake<&SnowflakeConfig::timestamp_bits>, 1, 63),
        whole("snowflake.worker_bits", snowflake<&SnowflakeConfig::worker_bits>, 0, 62),
        whole("snowflake.sequence_bits", snowflake<&SnowflakeConfig::sequence_bits>, 0, 62),
        whole("snowflake.worker_id_offset", snowflake<&SnowflakeConfig::worker_id_offset>, 0, any),
        whole("snowflake.worker_id_limit", snowflake<&SnowflakeConfig::worker_id_limit>, 0, any),
        word<&Config::snowflake, &SnowflakeConfig::registry>("snowflake.registry", registries),
        text("snowflake.database", snowflake<&SnowflakeConfig::database>, 0, 64),
        flag("snowflake.single_instance", snowflake<&SnowflakeConfig::single_instance>),
        {"snowflake.worker_id", Kind::worker_id, whole_snowflake},
        text("snowflake.identity", snowflake<&SnowflakeConfig::identity>, 0, 256),
        text("snowflake.state_dir", snowflake<&SnowflakeConfig::state_dir>),
        duration("snowflake.heartbeat", snowflake<&SnowflakeConfig::heartbeat>, 100ms, 1h),
        duration("snowflake.fence_window", snowflake<&SnowflakeConfig::fence_window>, 1s, 24h),
        duration("snowflake.max_ahead", snowflake<&SnowflakeConfig::max_ahead>, 100ms, 5min),
        duration("snowflake.max_clock_skew", snowflake<&SnowflakeConfig::max_clock_skew>, 100ms, 1h),
        word<&Config::snowflake, &SnowflakeConfig::on_clock_rollback>("snowflake.on_clock_rollback", rollbacks),
    };
}

Keys zookeeper_keys() {
    return {
        text("zookeeper.connect", zookeeper<&ZookeeperConfig::connect>),
        text("zookeeper.root", zookeeper<&ZookeeperConfig::root>, 1),
        duration("zookeeper.session_timeout", zookeeper<&ZookeeperConfig::session_timeout>, 1s, 1h),
        text("zookeeper.auth_file", zookeeper<&ZookeeperConfig::auth_file>),
    };
}

Keys access_keys() {
    return {
        planned(text("auth.tokens_file", auth<&AuthConfig::tokens_file>)),
        planned(text("auth.admin_token_file", auth<&AuthConfig::admin_token_file>)),
        planned(duration("auth.refresh_interval", auth<&AuthConfig::refresh_interval>, 1s, 24h)),
        planned(text("tls.certificate", tls<&TlsConfig::certificate>)),
        planned(text("tls.key", tls<&TlsConfig::key>)),
        planned(text("tls.client_ca", tls<&TlsConfig::client_ca>)),
        planned(text("management_tls.certificate", management_tls<&TlsConfig::certificate>)),
        planned(text("management_tls.key", management_tls<&TlsConfig::key>)),
        planned(text("management_tls.client_ca", management_tls<&TlsConfig::client_ca>)),
    };
}

Keys observation_keys() {
    return {
        planned(whole("metrics.max_keys", max_keys, 0, 10'000)),
        log_level(),
        word<&Config::log, &LogConfig::format>("log.format", log_formats),
    };
}

Keys all_keys() {
    Keys all;
    for (const auto& part : {server_keys(), database_keys(), segment_keys(), snowflake_keys(), zookeeper_keys(),
                             access_keys(), observation_keys()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

std::span<const ConfigKey> config_keys() {
    static const Keys keys = all_keys();
    return keys;
}

}  // namespace frond::server
