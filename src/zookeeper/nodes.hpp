// Nodes through a session, with errors as exceptions: what cannot be answered is thrown as a Failure. What is merely
// not there, or there already, is an answer.
#pragma once

#include "zookeeper/faults.hpp"
#include "zookeeper/node.hpp"
#include "zookeeper/session.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::zookeeper {

struct Children {
    std::vector<std::string> names;
    NodeStat stat;  // of their parent, of the same moment
};

struct CreatedNode {
    std::string path;
    NodeStat stat;
};

// Thread safety, and how long calls block: as Session.
class Nodes {
public:
    // `session` must outlive this.
    explicit Nodes(Session& session) : session_(session) {}

    // To be called at the start of every piece of work.
    void connect();
    // Whether it was done. That it was not is no error: safety never rests on a read being fresh.
    bool sync(const std::string& path);

    [[nodiscard]] std::optional<NodeStat> exists(const std::string& path);
    [[nodiscard]] std::optional<Node> get(const std::string& path);
    [[nodiscard]] std::optional<Children> children(const std::string& path);

    // Nothing when the node is there already. `effect`: Effect::create where it matters if an unknown outcome was one,
    // Effect::none where a repetition does no harm.
    std::optional<CreatedNode> create(const std::string& path, std::string_view data, NodeKind kind, Effect effect);
    // A persistent node without data, unless there is one.
    void ensure(const std::string& path);
    // `version` is the one to be replaced, never -1. Conflict and missing are Failures.
    NodeStat set(const std::string& path, std::string_view data, std::int32_t version);
    // Whether it is gone now.
    bool remove(const std::string& path, std::int32_t version);

    [[nodiscard]] std::int64_t session() const noexcept { return session_.id(); }

private:
    Session& session_;
};

}  // namespace frond::zookeeper
