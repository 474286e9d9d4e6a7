#include "server/instance.hpp"

#include "server/config_value.hpp"
#include "server/host_name.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace frond::server {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

std::string pod_name(const std::string& host_name) {
    if (environment("KUBERNETES_SERVICE_HOST").empty()) return {};
    for (const char* name : {"POD_NAME", "HOSTNAME"}) {
        if (std::string value = environment(name); !value.empty()) return value;
    }
    return host_name;
}

std::string first_ipv4() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
        if ((each->ifa_flags & IFF_LOOPBACK) != 0 || (each->ifa_flags & IFF_UP) == 0) continue;
        std::array<char, INET_ADDRSTRLEN> text{};
        // An address of that family is a sockaddr_in.
        const auto& address = reinterpret_cast<const sockaddr_in&>(*each->ifa_addr);
        if (inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) != nullptr) return text.data();
    }
    return {};
}

}  // namespace

Surroundings look_around() {
    Surroundings found;
    found.host_name = system_host_name();
    found.pod_name = pod_name(found.host_name);
    found.ip = first_ipv4();
    return found;
}

Instance instance_of(const Config& config, const Surroundings& surroundings) {
    const auto configured = parse_host_port(config.snowflake.identity);
    const auto listening = parse_host_port(config.server.listen.front());
    Instance instance;
    instance.ip = surroundings.ip;
    instance.port = std::to_string(configured ? configured->port : listening ? listening->port : 0);
    if (!config.snowflake.identity.empty()) {
        instance.identity = config.snowflake.identity;
    } else if (!surroundings.pod_name.empty()) {
        instance.identity = surroundings.pod_name;
    } else {
        instance.identity = surroundings.host_name + ":" + instance.port;
    }
    return instance;
}

}  // namespace frond::server
