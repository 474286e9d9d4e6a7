#include "server/version.hpp"

namespace frond::server {

std::string version() { return FROND_VERSION; }

}  // namespace frond::server
