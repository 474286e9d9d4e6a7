#include "worker/random_id.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace frond::worker {

std::string random_id() {
    std::array<std::uint64_t, 2> bits{};
    ssize_t got = 0;
    do {
        got = ::getrandom(bits.data(), sizeof bits, 0);
    } while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(sizeof bits)) throw std::system_error(errno, std::generic_category(), "getrandom");
    return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

}  // namespace frond::worker
