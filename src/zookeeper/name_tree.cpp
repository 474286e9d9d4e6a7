#include "zookeeper/name_tree.hpp"

#include "zookeeper/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace frond::zookeeper {
namespace {

using worker::RecordView;
using worker::RegistryFault;

constexpr const char* cold_start =
    "Stop all instances of this name and all Leaf servers that share it; then give it another snowflake.name, or "
    "delete this path with all below it and wait until every clock has passed the highest fence";

[[noreturn]] void contradiction(std::string text) { throw Failure(RegistryFault::contradiction, std::move(text)); }

[[noreturn]] void backwards(const std::string& path) {
    throw Failure(RegistryFault::went_backwards,
                  fmt::format("ZooKeeper: {} shows an older state than it showed before", path));
}

RecordView foreign(const NodeName& node, std::string place) {
    RecordView view;
    view.number = node.number.value_or(-1);
    view.version = 0;
    view.place = std::move(place);
    return view;
}

}  // namespace

std::optional<NamedNode> NameTree::name() {
    const auto node = nodes_.get(paths_.name_node());
    if (!node) return std::nullopt;
    if (!seen_.data(paths_.name_node(), node->stat)) backwards(paths_.name_node());
    auto record = worker::parse_name(node->data);
    if (!record) {
        contradiction(
            fmt::format("ZooKeeper: {} is not what Frond writes there ({}). A newer version of Frond made it, "
                        "or it belongs to somebody else: choose another snowflake.name or zookeeper.root",
                        paths_.name_node(), record.error().detail));
    }
    parent_zxid_ = record->parent;
    return NamedNode{std::move(*record), node->stat.version};
}

std::string NameTree::parent_is_gone() const {
    return fmt::format(
        "ZooKeeper: {} was deleted, and its counter with it: numbers from a new one would be given out "
        "a second time. {}: {}",
        paths_.parent(), cold_start, paths_.base());
}

void NameTree::check_parent(const NodeStat& parent) {
    if (!seen_.children(paths_.parent(), parent)) backwards(paths_.parent());
    if (!parent_zxid_ || *parent_zxid_ == std::to_string(parent.created_zxid)) return;
    contradiction(
        fmt::format("ZooKeeper: {} is not the node that the name was made with (created by zxid {}, not {}): "
                    "it was deleted and made again, so that its numbers began anew. {}: {}",
                    paths_.parent(), parent.created_zxid, *parent_zxid_, cold_start, paths_.base()));
}

NodeStat NameTree::parent() {
    const auto stat = nodes_.exists(paths_.parent());
    if (!stat) contradiction(parent_is_gone());
    check_parent(*stat);
    return *stat;
}

NameTree::Listing NameTree::list() {
    const auto children = nodes_.children(paths_.parent());
    if (!children) contradiction(parent_is_gone());
    check_parent(children->stat);
    Listing listing{{}, children->stat.creations};
    for (const std::string& child : children->names) listing.nodes.push_back(parse_node_name(child));
    check_numbers(listing.nodes, listing.next);
    by_number_.clear();
    for (const NodeName& node : listing.nodes) remember(node);
    return listing;
}

// Nodes that were copied here keep their numbers, while the counter begins anew.
void NameTree::check_numbers(const std::vector<NodeName>& nodes, std::int64_t next) const {
    if (next < 0) {
        contradiction(
            fmt::format("ZooKeeper: the counter of {} ran over. {}: {}", paths_.parent(), cold_start, paths_.base()));
    }
    std::set<std::int64_t> numbers;
    for (const NodeName& node : nodes) {
        if (!node.number) continue;
        if (*node.number >= next || !numbers.insert(*node.number).second) {
            contradiction(
                fmt::format("ZooKeeper: {} was not made by the counter of its parent, which is at {}, or is "
                            "there twice: nodes were copied or made by hand. {}: {}",
                            paths_.record(node.text), next, cold_start, paths_.base()));
        }
    }
}

worker::Survey NameTree::records() {
    worker::Survey survey;
    const Listing listing = list();
    for (const NodeName& node : listing.nodes) {
        if (auto record = view(node)) survey.records.push_back(std::move(*record));
    }
    survey.first_number = first_number;
    survey.next_number = std::max(listing.next, first_number);
    return survey;
}

std::optional<NodeName> NameTree::with_number(std::int64_t number) {
    if (!by_number_.contains(number)) static_cast<void>(list());
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NodeName> NameTree::made_for(std::string_view owner) {
    Listing listing = list();
    std::optional<NodeName> lowest;
    for (NodeName& node : listing.nodes) {
        if (node.owner != owner || node.number < first_number) continue;
        if (!lowest || node.number < lowest->number) lowest = std::move(node);
    }
    return lowest;
}

std::optional<RecordView> NameTree::view(const NodeName& node) {
    const std::string path = paths_.record(node.text);
    if (!node.owner) return foreign(node, path);
    const auto found = nodes_.get(path);
    if (!found) return std::nullopt;
    if (!seen_.data(path, found->stat)) backwards(path);
    RecordView view = foreign(node, path);
    view.version = found->stat.version;
    view.modified_ms = found->stat.modified_ms;
    auto record = worker::parse_record(found->data);
    if (record) {
        view.record = std::move(*record);
    } else {
        view.problem = record.error().detail;
    }
    return view;
}

void NameTree::check_write(const std::string& path, const NodeStat& stat) {
    if (!seen_.write(path, stat)) backwards(path);
}

void NameTree::remember(const NodeName& node) {
    if (node.number) by_number_.insert_or_assign(*node.number, node);
}

}  // namespace frond::zookeeper
