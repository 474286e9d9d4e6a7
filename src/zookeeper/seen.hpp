// What a registry was seen to hold, to notice when it shows less: then it lost writes that it had acknowledged, or the
// server is behind others. Pure; not thread-safe.
#pragma once

#include "zookeeper/node.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace frond::zookeeper {

class Seen {
public:
    // Each takes note of the stat, unless it returns false: it shows an older state than one that was noted before.

    // The data of the node.
    [[nodiscard]] bool data(const std::string& path, const NodeStat& stat);
    // The children of the node.
    [[nodiscard]] bool children(const std::string& path, const NodeStat& stat);
    // The answer to a write, which ZooKeeper puts behind all that was ever seen before it.
    [[nodiscard]] bool write(const std::string& path, const NodeStat& stat);

private:
    struct Marks {
        std::int64_t created_zxid = 0;
        std::int64_t modified_zxid = 0;
        std::int64_t version = 0;
        std::int64_t children_zxid = 0;
        std::int64_t creations = 0;
    };

    // The node's marks; new ones when it was created anew since. Null when it is an older node than the one seen.
    Marks* marks(const std::string& path, const NodeStat& stat);

    std::map<std::string, Marks> nodes_;
    std::int64_t highest_zxid_ = 0;
};

}  // namespace frond::zookeeper
