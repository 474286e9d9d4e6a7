// What a registry in ZooKeeper needs to know, and the check of it.
#pragma once

#include "worker/lease_record.hpp"

#include <frond/result.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace frond::zookeeper {

struct RegistryOptions {
    std::string connect;                                // zookeeper.connect: "host:port,host:port/path"
    std::string root = "/snowflake";                    // zookeeper.root
    std::chrono::milliseconds session_timeout{10'000};  // zookeeper.session_timeout; the server may grant another
    std::optional<std::string> auth;                    // from zookeeper.auth_file: "user:password"
    std::string name;                                   // snowflake.name
    std::chrono::milliseconds connect_patience{5'000};  // how long one call waits for a connection
};

// What only those who take a number need.
struct JoinOptions {
    worker::LeaseSpace space;             // goes into the name when it is made
    std::string identity;                 // of this instance, for others to see
    std::function<std::string()> new_id;  // random names, as worker::random_id()
};

// errc::invalid_configuration, naming the key, for what can never work. Asks nobody. The detail holds no password.
[[nodiscard]] Result<void> check(const RegistryOptions& options);

// "zookeeper:" and where the name is: addresses, the path behind them, root and name.
[[nodiscard]] std::string describe(const RegistryOptions& options, std::string_view base);

}  // namespace frond::zookeeper
