// The nodes of one name, read and understood: its name node, the parent of its records, and the records. Throws
// Failure, besides what Nodes throws: `contradiction` when the nodes do not belong together, `went_backwards` when they
// show less than before.
#pragma once

#include "worker/registry.hpp"
#include "zookeeper/failure.hpp"
#include "zookeeper/node_name.hpp"
#include "zookeeper/nodes.hpp"
#include "zookeeper/paths.hpp"
#include "zookeeper/seen.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::zookeeper {

// The record of the name, and the version of its node.
struct NamedNode {
    worker::NameRecord record;
    std::int32_t version = 0;
};

// Number 0 of a parent is left alone: a Leaf server that found no parent runs as 0, whatever number it was given.
inline constexpr std::int64_t first_number = 1;

// Thread safety, and how long calls block: as Session. To be connected before.
class NameTree {
public:
    // `nodes` must outlive this.
    NameTree(Nodes& nodes, Paths paths) : nodes_(nodes), paths_(std::move(paths)) {}

    [[nodiscard]] const Paths& paths() const noexcept { return paths_; }

    // Nothing when the name was never made. Once it was found, the parent below has to be the one that it belongs to.
    [[nodiscard]] std::optional<NamedNode> name();

    // The state of the parent of records.
    [[nodiscard]] NodeStat parent();

    // All records and the next number. The result has neither name, clock nor signs of presence.
    [[nodiscard]] worker::Survey records();

    // The node with this number; of several that an owner made, the lowest. Nothing when there is none.
    [[nodiscard]] std::optional<NodeName> with_number(std::int64_t number);
    [[nodiscard]] std::optional<NodeName> made_for(std::string_view owner);
    // Reads the node. Nothing when it is not there any more.
    [[nodiscard]] std::optional<worker::RecordView> view(const NodeName& node);

    // Takes note of a write that came back.
    void check_write(const std::string& path, const NodeStat& stat);
    // Takes note of a node that has a number, and was just made.
    void remember(const NodeName& node);

    // Calls `read`. When it finds that the registry went backwards, once more after a sync: the server of a new session
    // may only be behind the others. Without that sync nothing is known: `unavailable`.
    template <class Read>
    auto confirmed(Read read) {
        try {
            return read();
        } catch (const Failure& failure) {
            if (failure.error().fault != worker::RegistryFault::went_backwards) throw;
            if (!nodes_.sync(paths_.base())) throw Failure(worker::RegistryFault::unavailable, failure.what());
        }
        return read();
    }

private:
    struct Listing {
        std::vector<NodeName> nodes;
        std::int64_t next;
    };

    [[nodiscard]] Listing list();
    void check_parent(const NodeStat& parent);
    void check_numbers(const std::vector<NodeName>& nodes, std::int64_t next) const;
    [[nodiscard]] std::string parent_is_gone() const;

    Nodes& nodes_;
    const Paths paths_;
    std::optional<std::string> parent_zxid_;  // of the parent that the name belongs to
    Seen seen_;
    std::map<std::int64_t, NodeName> by_number_;  // names never change
};

}  // namespace frond::zookeeper
