// What must hold between the settings that say who gives out the worker ID. Pure functions.
#pragma once

#include "server/config.hpp"
#include "server/config_finding.hpp"

namespace frond::server {

// Adds what is wrong with snowflake.registry and what goes with it; nothing while Snowflake mode is off.
void check_leases(const Config& config, bool in_kubernetes, Findings& findings);

// Adds what is wrong with the form of the [zookeeper] values.
void check_zookeeper(const ZookeeperConfig& zookeeper, Findings& findings);

}  // namespace frond::server
