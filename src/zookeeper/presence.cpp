#include "zookeeper/presence.hpp"

#include "zookeeper/failure.hpp"

#include <spdlog/spdlog.h>
#include <boost/json.hpp>

#include <algorithm>
#include <exception>

namespace frond::zookeeper {
namespace {

namespace json = boost::json;

// Empty when it is none that Frond wrote.
std::string identity_in(std::string_view data) {
    boost::system::error_code bad;
    const json::value value = json::parse(json::string_view(data.data(), data.size()), bad);
    if (bad || !value.is_object()) return "";
    const json::value* identity = value.as_object().if_contains("identity");
    return identity != nullptr && identity->is_string() ? std::string(identity->as_string()) : "";
}

}  // namespace

Presence::Presence(Nodes& nodes, std::string parent, const std::string& instance, std::string identity)
    : nodes_(nodes),
      parent_(std::move(parent)),
      path_(parent_ + "/" + instance),
      data_(json::serialize(json::object{{"version", 1}, {"identity", identity}})) {}

worker::RegistryClock Presence::announce() {
    const worker::RegistryClock clock = make_or_rewrite();
    session_ = nodes_.session();
    return clock;
}

void Presence::renew() noexcept {
    if (session_ == 0 || session_ == nodes_.session()) return;
    try {
        announce();
    } catch (const std::exception& problem) {
        spdlog::debug("ZooKeeper: no sign of presence yet: {}", problem.what());
    }
}

worker::RegistryClock Presence::make_or_rewrite() {
    nodes_.ensure(parent_);
    if (const auto written = rewrite()) return written->clock();
    if (const auto created = nodes_.create(path_, data_, NodeKind::ephemeral, Effect::none))
        return created->stat.clock();
    // Made by a call of this session whose answer was lost.
    if (const auto written = rewrite()) return written->clock();
    throw Failure(worker::RegistryFault::unavailable, "ZooKeeper: " + path_ + " does not stay");
}

std::optional<NodeStat> Presence::rewrite() {
    const auto found = nodes_.exists(path_);
    if (!found) return std::nullopt;
    if (found->session == nodes_.session()) return nodes_.set(path_, data_, found->version);
    nodes_.remove(path_, found->version);
    return std::nullopt;
}

std::vector<std::string> present(Nodes& nodes, const std::string& parent) {
    std::vector<std::string> identities;
    const auto children = nodes.children(parent);
    if (!children) return identities;
    for (const std::string& child : children->names) {
        const auto node = nodes.get(parent + "/" + child);
        if (!node) continue;
        if (std::string identity = identity_in(node->data); !identity.empty())
            identities.push_back(std::move(identity));
    }
    std::sort(identities.begin(), identities.end());
    return identities;
}

}  // namespace frond::zookeeper
