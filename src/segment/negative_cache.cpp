#include "segment/negative_cache.hpp"

namespace frond::segment {

void NegativeCache::add(std::string_view key, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    if (until_.size() >= capacity_) until_.clear();
    until_.insert_or_assign(std::string(key), now + keep_);
}

bool NegativeCache::contains(std::string_view key, SteadyTime now) const {
    const std::lock_guard lock(mutex_);
    const auto found = until_.find(std::string(key));
    return found != until_.end() && now < found->second;
}

}  // namespace frond::segment
