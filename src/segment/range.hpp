// A range: what the store gives. Half-open [first, last_exclusive); its IDs are the x in it with
// x % delta == remainder. Pure values.
#pragma once

#include <frond/result.hpp>

#include <cstdint>
#include <string_view>

namespace frond::segment {

struct Range {
    std::int64_t first = 0;
    std::int64_t last_exclusive = 0;
    std::int64_t delta = 1;
    std::int64_t remainder = 0;

    bool operator==(const Range&) const = default;
};

// Evenly spaced IDs: first, first + delta, … `count` of them. What a take gives out and what replies show.
struct Run {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t delta = 1;

    [[nodiscard]] std::int64_t last() const noexcept { return first + (count - 1) * delta; }
    bool operator==(const Run&) const = default;
};

// The IDs of a range as one run. errc::key_misconfigured, naming `key`, column and value, when delta < 1, remainder is
// outside [0, delta), the range is empty or negative, or holds no ID.
[[nodiscard]] Result<Run> run_of(const Range& range, std::string_view key);

}  // namespace frond::segment
