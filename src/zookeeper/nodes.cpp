#include "zookeeper/nodes.hpp"

#include "zookeeper/failure.hpp"

#include <zookeeper/zookeeper.h>

namespace frond::zookeeper {

using worker::RegistryFault;

void Nodes::connect() {
    if (auto problem = session_.connect()) throw Failure(RegistryFault::unavailable, std::move(*problem));
}

bool Nodes::sync(const std::string& path) { return session_.sync(path) == ZOK; }

std::optional<NodeStat> Nodes::exists(const std::string& path) {
    NodeStat stat;
    const int code = session_.exists(path, stat);
    if (code == ZNONODE) return std::nullopt;
    if (code != ZOK) throw Failure(error_of(code, Effect::none, "look at", path));
    return stat;
}

std::optional<Node> Nodes::get(const std::string& path) {
    Node node;
    const int code = session_.get(path, node);
    if (code == ZNONODE) return std::nullopt;
    if (code != ZOK) throw Failure(error_of(code, Effect::none, "read", path));
    return node;
}

std::optional<Children> Nodes::children(const std::string& path) {
    Children children;
    const int code = session_.children(path, children.names, children.stat);
    if (code == ZNONODE) return std::nullopt;
    if (code != ZOK) throw Failure(error_of(code, Effect::none, "list", path));
    return children;
}

std::optional<CreatedNode> Nodes::create(const std::string& path, std::string_view data, NodeKind kind, Effect effect) {
    CreatedNode created;
    const int code = session_.create(path, data, kind, created.path, created.stat);
    if (code == ZNODEEXISTS && kind != NodeKind::sequential) return std::nullopt;
    if (code != ZOK) throw Failure(error_of(code, effect, "create", path));
    return created;
}

void Nodes::ensure(const std::string& path) {
    // Asked first, since the right to create here may be missing where nothing needs to be created.
    if (!exists(path)) create(path, "", NodeKind::persistent, Effect::none);
}

NodeStat Nodes::set(const std::string& path, std::string_view data, std::int32_t version) {
    NodeStat stat;
    const int code = session_.set(path, data, version, stat);
    if (code != ZOK) throw Failure(error_of(code, Effect::change, "write", path));
    return stat;
}

bool Nodes::remove(const std::string& path, std::int32_t version) {
    const int code = session_.remove(path, version);
    return code == ZOK || code == ZNONODE;
}

}  // namespace frond::zookeeper
