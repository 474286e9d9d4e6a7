#include "segment/range.hpp"

#include <string>

namespace frond::segment {
namespace {

Error misconfigured(std::string_view key, const std::string& what) {
    return {errc::key_misconfigured, "key '" + std::string(key) + "': " + what};
}

}  // namespace

Result<Run> run_of(const Range& range, std::string_view key) {
    const auto [first, end, delta, remainder] = range;
    if (delta < 1) return misconfigured(key, "delta is " + std::to_string(delta) + ", expected at least 1");
    if (remainder < 0 || remainder >= delta) {
        return misconfigured(key, "remainder is " + std::to_string(remainder) + ", expected 0 to delta - 1 (" +
                                      std::to_string(delta - 1) + ")");
    }
    if (first < 0) return misconfigured(key, "max_id is " + std::to_string(first) + ", expected at least 0");
    if (first >= end) return misconfigured(key, "the range is empty, step must be at least 1");

    // Distance to the first number of the right residue, 0 to delta - 1; never overflows, unlike rounding up would.
    std::int64_t distance = remainder - first % delta;
    if (distance < 0) distance += delta;
    if (distance >= end - first) {
        return misconfigured(key, "a range of " + std::to_string(end - first) + " numbers holds none that is " +
                                      std::to_string(remainder) + " modulo delta (" + std::to_string(delta) +
                                      "), step is too small");
    }
    return Run{.first = first + distance, .count = (end - first - distance - 1) / delta + 1, .delta = delta};
}

}  // namespace frond::segment
