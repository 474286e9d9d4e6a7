#include "world.hpp"

namespace frond::test {

const char* name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::fake:
            return "fake";
        case Kind::sqlite:
            return "sqlite";
        case Kind::mariadb:
            return "mariadb";
        case Kind::zookeeper:
            break;
    }
    return "zookeeper";
}

std::unique_ptr<World> make_world(Kind kind) {
    switch (kind) {
        case Kind::fake:
            return make_fake_world();
        case Kind::sqlite:
            return make_sqlite_world();
        case Kind::mariadb:
            return make_mariadb_world();
        case Kind::zookeeper:
            break;
    }
    return make_zookeeper_world();
}

}  // namespace frond::test
