// All generators of this process, so that no two open ones share a worker ID and layout, and none is used in a child
// made by fork().
#pragma once

#include <frond/snowflake_generator.hpp>

namespace frond {

// A list through the generators themselves: nothing is allocated. Closed ones stay on it until they are destroyed and
// do not count, so that close() needs no lock.
//
// Its lock is taken last: nothing else is locked, allocated or called while it is held. fork() takes it, too, so that
// the child finds a list that is whole. Thread-safe; not for signal handlers.
class OpenGenerators {
public:
    // Throws std::invalid_argument when an open one has the same worker ID and layout, std::system_error when fork()
    // cannot be watched.
    static void add(SnowflakeGenerator& generator);
    static void remove(SnowflakeGenerator& generator) noexcept;

private:
    static void watch_forks();
    static void close_all() noexcept;
    [[nodiscard]] static bool has_twin(const SnowflakeGenerator& generator) noexcept;
};

}  // namespace frond
