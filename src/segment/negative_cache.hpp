// Remembers for a moment which keys do not exist, so that a scan for random names cannot load the database.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace frond::segment {

// Bounded and thread-safe; off the hot path. Time is an argument.
class NegativeCache {
public:
    NegativeCache(std::chrono::nanoseconds keep, std::size_t capacity) : keep_(keep), capacity_(capacity) {}

    // Remembers `key` from now on. When full, everything is forgotten: the bound matters, not which key stays.
    void add(std::string_view key, SteadyTime now);
    [[nodiscard]] bool contains(std::string_view key, SteadyTime now) const;

private:
    const std::chrono::nanoseconds keep_;
    const std::size_t capacity_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, SteadyTime> until_;
};

}  // namespace frond::segment
