// What is known of a node. Plain values.
#pragma once

#include "base/clock.hpp"
#include "worker/registry.hpp"

#include <cstdint>
#include <string>

namespace frond::zookeeper {

struct NodeStat {
    std::int64_t created_zxid = 0;
    std::int64_t modified_zxid = 0;
    std::int64_t children_zxid = 0;  // of the last change of its list of children
    std::int64_t modified_ms = 0;    // in the server's clock, since the Unix epoch
    std::int32_t version = 0;        // of its data
    std::int64_t creations = 0;  // how many children were ever created; the next sequence number. Negative: overflow
    std::int64_t session = 0;    // the one that an ephemeral node ends with; 0 for others
    SteadyTime moment;           // the middle of the round trip that told this

    // For a node that this round trip wrote: when the server did.
    [[nodiscard]] worker::RegistryClock clock() const noexcept { return {modified_ms, moment}; }
};

struct Node {
    std::string data;
    NodeStat stat;
};

}  // namespace frond::zookeeper
