#include "zookeeper/faults.hpp"

#include <fmt/format.h>
#include <zookeeper/zookeeper.h>

namespace frond::zookeeper {
namespace {

using worker::RegistryFault;

const char* advice_of(int code, Effect effect) noexcept {
    switch (code) {
        case ZNONODE:
            return effect == Effect::change ? ""
                                            : ": what it lies in does not exist. Frond makes all but a path that "
                                              "stands behind the addresses in zookeeper.connect";
        case ZNOAUTH:
            return ": its ACL does not allow this; give the user of zookeeper.auth_file the permissions, or set the "
                   "file that fits";
        case ZAUTHFAILED:
        case ZSESSIONCLOSEDREQUIRESASLAUTH:
            return ": the server refuses the credentials; check zookeeper.auth_file";
        case ZINVALIDACL:
            return ": the server knows no digest credentials; check zookeeper.auth_file";
        case ZNOTREADONLY:
            return ": the server is cut off from its ensemble and only reads";
        case ZUNIMPLEMENTED:
            return ": the server is too old; ZooKeeper 3.5 is needed";
        default:
            return "";
    }
}

}  // namespace

RegistryFault fault_of(int code, Effect effect) noexcept {
    switch (code) {
        // Refused before it was sent, or by the server with a reason that rules out that it was done.
        case ZINVALIDSTATE:  // the handle had ended before the call
        case ZBADARGUMENTS:
        case ZUNIMPLEMENTED:
        case ZINVALIDCALLBACK:
        case ZINVALIDACL:
        case ZNOAUTH:
        case ZNOTREADONLY:
        case ZTHROTTLEDOP:
        case ZEPHEMERALONLOCALSESSION:
        case ZSESSIONCLOSEDREQUIRESASLAUTH:
            return RegistryFault::unavailable;
        case ZNONODE:
            return effect == Effect::change ? RegistryFault::missing : RegistryFault::contradiction;
        case ZBADVERSION:
            return RegistryFault::conflict;
        case ZNODEEXISTS:
        case ZNOTEMPTY:
        case ZNOCHILDRENFOREPHEMERALS:
            return RegistryFault::contradiction;
        // ZCONNECTIONLOSS, ZOPERATIONTIMEOUT, ZCLOSING, ZSESSIONEXPIRED, ZSESSIONMOVED, ZAUTHFAILED while waiting,
        // ZMARSHALLINGERROR and ZSYSTEMERROR (of the reply, for all that is known), and codes of the future.
        default:
            return effect == Effect::none ? RegistryFault::unavailable : RegistryFault::unknown;
    }
}

worker::RegistryError error_of(int code, Effect effect, std::string_view action, std::string_view path) {
    return {fault_of(code, effect),
            fmt::format("ZooKeeper: cannot {} {}: {}{}", action, path, zerror(code), advice_of(code, effect))};
}

}  // namespace frond::zookeeper
