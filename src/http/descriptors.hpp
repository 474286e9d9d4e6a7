// The process's limit on file descriptors.
#pragma once

#include <cstddef>

namespace frond::http {

// Raises the soft limit to the hard one and returns what the limit is then. Changes the whole process; call at start.
std::size_t raise_descriptor_limit() noexcept;

}  // namespace frond::http
