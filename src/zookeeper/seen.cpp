#include "zookeeper/seen.hpp"

#include <algorithm>

namespace frond::zookeeper {

Seen::Marks* Seen::marks(const std::string& path, const NodeStat& stat) {
    Marks& known = nodes_[path];
    if (stat.created_zxid < known.created_zxid) return nullptr;
    if (stat.created_zxid > known.created_zxid) {
        known = Marks{};
        known.created_zxid = stat.created_zxid;
    }
    return &known;
}

bool Seen::data(const std::string& path, const NodeStat& stat) {
    Marks* known = marks(path, stat);
    if (known == nullptr || stat.modified_zxid < known->modified_zxid || stat.version < known->version) return false;
    known->modified_zxid = stat.modified_zxid;
    known->version = stat.version;
    highest_zxid_ = std::max(highest_zxid_, stat.modified_zxid);
    return true;
}

bool Seen::children(const std::string& path, const NodeStat& stat) {
    Marks* known = marks(path, stat);
    // A counter that ran over shows no number to compare.
    if (known == nullptr || stat.children_zxid < known->children_zxid) return false;
    if (stat.creations >= 0 && stat.creations < known->creations) return false;
    known->children_zxid = stat.children_zxid;
    known->creations = std::max(known->creations, stat.creations);
    highest_zxid_ = std::max(highest_zxid_, stat.children_zxid);
    return true;
}

bool Seen::write(const std::string& path, const NodeStat& stat) {
    if (stat.modified_zxid <= highest_zxid_) return false;
    return data(path, stat);
}

}  // namespace frond::zookeeper
