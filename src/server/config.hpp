// The configuration of the server and of every command, as plain values named like the keys of conf/frond.toml,
// which documents them. Values only: copy freely; as thread-safe as any struct. load_config() has checked them.
#pragma once

#include <frond/result.hpp>
#include <frond/snowflake_layout.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frond::server {

using std::chrono::milliseconds;

enum class AccessLog { off, sampled, all };

// Sizes in bytes, threads 0 = one per usable core (usable_cores()).
struct ServerConfig {
    std::vector<std::string> listen{"[::]:8080"};
    std::vector<std::string> management_listen{"127.0.0.1:8081"};
    std::int64_t threads = 0;
    milliseconds drain_delay{5'000};
    milliseconds drain_timeout{20'000};
    std::int64_t max_connections = 10'000;
    std::int64_t header_limit = 8 * 1024;
    std::int64_t target_limit = 4 * 1024;
    std::int64_t body_limit = 64 * 1024;
    milliseconds request_timeout{10'000};
    milliseconds idle_timeout{60'000};
    std::int64_t max_batch = 100'000;
    AccessLog access_log = AccessLog::off;

    bool operator==(const ServerConfig&) const = default;
};

// Time-outs are whole seconds. `password` holds what password_file held, once loaded; the URL may hold one, too.
struct DatabaseConfig {
    std::string name = "main";
    std::string url = "sqlite:frond.db";
    std::string password;
    std::string password_file;
    std::int64_t pool_size = 4;
    milliseconds connect_timeout{2'000};
    milliseconds query_timeout{5'000};
    std::string tls_ca;

    bool operator==(const DatabaseConfig&) const = default;
};

enum class SegmentSchema { leaf, tinyid };

struct SegmentConfig {
    bool enabled = true;
    SegmentSchema schema = SegmentSchema::leaf;
    milliseconds refresh_interval{60'000};
    milliseconds refill_timeout{2'000};
    std::int64_t max_waiters = 10'000;

    bool operator==(const SegmentConfig&) const = default;
};

enum class Registry { fixed, database, zookeeper };  // `fixed` is written "static"
enum class ClockRollback { hold, reject };

// worker_id is set with Registry::fixed alone; worker_id_ordinal tells that it was taken from the host name. A
// worker_id_limit of 0 means all from the offset on. epoch_ms is in ms since the Unix epoch. An empty state_dir means
// no state file, an empty identity "pod name, else host:port", an empty database "the first".
struct SnowflakeConfig {
    bool enabled = true;
    std::string name = "frond";
    std::int64_t epoch_ms = SnowflakeLayout::leaf_epoch_ms;
    std::int64_t timestamp_bits = 41;
    std::int64_t worker_bits = 10;
    std::int64_t sequence_bits = 12;
    std::int64_t worker_id_offset = 0;
    std::int64_t worker_id_limit = 0;
    Registry registry = Registry::database;
    std::string database;
    bool single_instance = false;
    std::optional<std::int64_t> worker_id;
    bool worker_id_ordinal = false;
    std::string identity;
    std::string state_dir = ".";
    milliseconds heartbeat{3'000};
    milliseconds fence_window{900'000};
    milliseconds max_ahead{1'000};
    milliseconds max_clock_skew{10'000};
    ClockRollback on_clock_rollback = ClockRollback::hold;

    // The layout of the IDs; errors as SnowflakeLayout::make, which load_config() has reported already.
    [[nodiscard]] Result<SnowflakeLayout> layout() const;

    bool operator==(const SnowflakeConfig&) const = default;
};

// `connect` is host:port[,host:port…]. `auth` is user:password, as auth_file held it, once loaded; empty without.
struct ZookeeperConfig {
    std::string connect;
    std::string root = "/snowflake";
    milliseconds session_timeout{10'000};
    std::string auth_file;
    std::string auth;

    bool operator==(const ZookeeperConfig&) const = default;
};

struct AuthConfig {
    std::string tokens_file;
    std::string admin_token_file;
    milliseconds refresh_interval{60'000};

    bool operator==(const AuthConfig&) const = default;
};

struct TlsConfig {
    std::string certificate;
    std::string key;
    std::string client_ca;

    bool operator==(const TlsConfig&) const = default;
};

struct MetricsConfig {
    std::int64_t max_keys = 100;

    bool operator==(const MetricsConfig&) const = default;
};

enum class LogStyle { automatic, json, text };  // automatic: text on a terminal, else json

struct LogConfig {
    std::string level = "info";  // a word that set_up_logging() takes
    LogStyle format = LogStyle::automatic;

    bool operator==(const LogConfig&) const = default;
};

struct Config {
    ServerConfig server;
    std::vector<DatabaseConfig> databases = std::vector<DatabaseConfig>(1);
    SegmentConfig segment;
    SnowflakeConfig snowflake;
    ZookeeperConfig zookeeper;
    AuthConfig auth;
    TlsConfig tls;
    TlsConfig management_tls;
    MetricsConfig metrics;
    LogConfig log;

    bool operator==(const Config&) const = default;
};

}  // namespace frond::server
