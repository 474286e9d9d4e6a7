#include "http/descriptors.hpp"

#include <sys/resource.h>

namespace frond::http {

std::size_t raise_descriptor_limit() noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace frond::http
