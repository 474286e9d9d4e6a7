// The sign that an instance is connected: a node that ends with its session.
#pragma once

#include "worker/registry.hpp"
#include "zookeeper/nodes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frond::zookeeper {

// Thread safety, blocking, errors: as Nodes, which is to be connected before.
class Presence {
public:
    // `nodes` must outlive this. `parent` is the path of the signs' parent, `instance` a random name of this instance
    // (its node's name), `identity` what others read there.
    Presence(Nodes& nodes, std::string parent, const std::string& instance, std::string identity);

    // Makes the node, or writes it again. Returns the server's clock at that.
    worker::RegistryClock announce();

    // Makes the node again when the session that it belonged to has ended. Does nothing before the first announce().
    // What fails is left for the next time: nothing depends on the sign.
    void renew() noexcept;

private:
    worker::RegistryClock make_or_rewrite();
    // Nothing when the node is not ours to write: it ends with an earlier session.
    std::optional<NodeStat> rewrite();

    Nodes& nodes_;
    const std::string parent_;
    const std::string path_;
    const std::string data_;
    std::int64_t session_ = 0;  // in which the node was made; 0 before that
};

// The identities of all who are present, in order.
[[nodiscard]] std::vector<std::string> present(Nodes& nodes, const std::string& parent);

}  // namespace frond::zookeeper
