// At a low rate IDs are spread evenly over shards: id % n shows no pattern of the clock.
#include <frond/snowflake_generator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace frond {
namespace {

constexpr std::int64_t now = 1'700'000'000'000;

// `count` IDs of one worker, one every `pace` ms.
std::vector<std::int64_t> ids_at(const SnowflakeLayout& layout, std::int64_t pace, int count) {
    SnowflakeGenerator generator({.layout = layout, .worker_id = layout.max_worker_id() / 2});
    std::vector<std::int64_t> ids;
    for (int i = 0; i < count; ++i) ids.push_back(generator.id(generator.take(now + i * pace)->first));
    return ids;
}

// How many of them fall into each residue.
std::vector<int> residues(const std::vector<std::int64_t>& ids, std::int64_t modulus) {
    std::vector<int> found(static_cast<std::size_t>(modulus));
    for (const std::int64_t id : ids) ++found[static_cast<std::size_t>(id % modulus)];
    return found;
}

int unevenness(const std::vector<int>& found) {
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    return *most - *least;
}

TEST(Spread, IsEvenOverSmallModuliAtEveryPace) {
    for (const int bits : {8, 9, 12, 22}) {
        const SnowflakeLayout layout = SnowflakeLayout::make(0, 41, 22 - bits, bits).value();
        for (std::int64_t pace = 1; pace <= 2000; ++pace) {
            const auto ids = ids_at(layout, pace, 300);
            for (const std::int64_t modulus : {16, 10, 3, 15, 240}) {
                ASSERT_LE(unevenness(residues(ids, modulus)), 1)
                    << bits << " bits, one in " << pace << " ms, modulo " << modulus;
            }
        }
    }
}

TEST(Spread, OfASmallSequenceIsEvenOverItsOwnSize) {
    for (const int bits : {1, 2, 4, 7}) {
        const SnowflakeLayout layout = SnowflakeLayout::make(0, 41, 10, bits).value();
        for (std::int64_t pace = 1; pace <= 2000; pace += 7) {
            ASSERT_LE(unevenness(residues(ids_at(layout, pace, 300), std::int64_t{1} << bits)), 1)
                << bits << " bits, one in " << pace << " ms";
        }
    }
}

// Only roughly even, as no promise of all moduli at once can be kept: but a regular pace neither piles the IDs onto
// a few shards nor stays in one corner of the sequence.
TEST(Spread, IsRoughlyEvenOverLargerModuli) {
    for (const int bits : {12, 22}) {
        const SnowflakeLayout layout = SnowflakeLayout::make(0, 41, 22 - bits, bits).value();
        for (std::int64_t pace = 1; pace <= 2000; pace += 3) {
            const auto of_64 = residues(ids_at(layout, pace, 64 * 16), 64);
            ASSERT_LE(*std::max_element(of_64.begin(), of_64.end()), 4 * 16) << bits << " bits, " << pace << " ms";
            ASSERT_LE(std::count(of_64.begin(), of_64.end(), 0), 32) << bits << " bits, " << pace << " ms";
        }
    }
    for (std::int64_t pace = 1; pace <= 2000; pace += 37) {
        const auto found = residues(ids_at(SnowflakeLayout(), pace, 4096 * 8), 4096);
        ASSERT_LE(*std::max_element(found.begin(), found.end()), 8 * 64) << pace << " ms";
    }
}

}  // namespace
}  // namespace frond
