// Random numbers of a simulation: the same from the same seed with every compiler and library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace frond::sim {

// SplitMix64. A value; used by one thread.
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    // low to high, both inclusive; the bias of the remainder does not matter here.
    std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

    bool chance(int percent) noexcept { return between(0, 99) < percent; }

    template <class T, std::size_t n>
    const T& pick(const std::array<T, n>& values) noexcept {
        return values[next() % n];
    }

private:
    std::uint64_t state_;
};

}  // namespace frond::sim
