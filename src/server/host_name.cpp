#include "server/host_name.hpp"

#include <unistd.h>

#include <array>

namespace frond::server {

std::string system_host_name() {
    std::array<char, 256> name{};
    // The last byte stays 0, whatever gethostname() does with a longer name.
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace frond::server
