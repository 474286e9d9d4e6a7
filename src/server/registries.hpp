// From the configuration to the registry of worker IDs: what the server and the worker commands share.
#pragma once

#include "server/config.hpp"
#include "server/instance.hpp"
#include "worker/lease_machine.hpp"
#include "worker/registry.hpp"

#include <frond/result.hpp>

#include <memory>

namespace frond::server {

// The database that snowflake.database names, or the first; null when none has that name. Into `config`.
[[nodiscard]] const DatabaseConfig* lease_database(const Config& config) noexcept;

// errc::invalid_configuration, naming the setting.
[[nodiscard]] Result<worker::LeaseSpace> lease_space(const SnowflakeConfig& config);

// What LeaseKeeper wants, `registry` excepted, which it fills in. Errors as lease_space().
[[nodiscard]] Result<worker::LeaseOptions> lease_options(const Config& config, const Instance& instance);

// The registry that snowflake.registry names; connects to nothing. errc::invalid_configuration, also for "static",
// which has none.
[[nodiscard]] Result<std::unique_ptr<worker::WorkerRegistry>> make_worker_registry(const Config& config,
                                                                                   const Instance& instance);

// The same registry for operators. Errors as make_worker_registry().
[[nodiscard]] Result<std::unique_ptr<worker::WorkerAdmin>> make_worker_admin(const Config& config);

}  // namespace frond::server
