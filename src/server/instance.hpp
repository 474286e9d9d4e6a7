// How this instance appears in the record of its worker ID: what people and other instances see of it.
#pragma once

#include "server/config.hpp"

#include <string>

namespace frond::server {

// What the process finds around it.
struct Surroundings {
    std::string host_name;
    std::string pod_name;  // empty outside of Kubernetes
    std::string ip;        // first IPv4 address that others may reach; empty when there is none
};

// Asks the system and the environment (KUBERNETES_SERVICE_HOST, POD_NAME, HOSTNAME). At start-up, from one thread.
[[nodiscard]] Surroundings look_around();

// `identity`: as configured, else the pod's name, else host:port. `port`: of an identity that is host:port, else of the
// first address in server.listen; "0" where the system picks one.
struct Instance {
    std::string identity;
    std::string ip;
    std::string port;
};
[[nodiscard]] Instance instance_of(const Config& config, const Surroundings& surroundings);

}  // namespace frond::server
