#include "sim/scenario.hpp"

#include <array>

namespace frond::sim {

Scenario Scenario::draw(Random& random) {
    constexpr std::array<int, 4> sequence_bits{0, 2, 4, 8};
    Scenario s;
    s.instances = static_cast<int>(random.between(2, 6));
    s.space.layout = *SnowflakeLayout::make(SnowflakeLayout::leaf_epoch_ms, 41, 5, random.pick(sequence_bits));
    s.space.offset = random.chance(30) ? random.between(1, 8) : 0;
    if (random.chance(15)) {
        s.strangers = true;
        s.space.layout = SnowflakeLayout();
        s.space.offset = 0;
    }
    s.first_number = random.chance(50) ? 1 : 0;
    // Few numbers in some runs, so that instances quarrel about them.
    s.space.limit = random.chance(40) ? random.between(1, s.instances) + s.first_number : random.between(12, 24);

    s.max_ahead = random.between(200, 1'000);
    s.max_clock_skew = random.between(500, 2'000);
    s.heartbeat = random.between(150, 500);
    s.fence_window = random.between(1'500, 6'000);

    s.registry_clock = random.chance(80);
    s.clock_faults = random.chance(70);
    const std::int64_t identity = random.between(0, 9);
    s.identity = identity < 6   ? Scenario::Identity::of_instance
                 : identity < 9 ? Scenario::Identity::of_life
                                : Scenario::Identity::of_all;
    s.with_disk = static_cast<int>(random.between(0, 10)) * 10;
    s.loss = static_cast<int>(random.between(0, 8));
    s.zombie = static_cast<int>(random.between(0, 6));
    s.stale = static_cast<int>(random.between(0, 4)) * 10;
    s.slowest_link = random.between(5, 100);
    s.call_timeout = random.between(300, 1'500);
    s.latest_zombie = random.between(1'000, 8'000);
    s.fault_interval = random.between(300, 1'500);
    s.fault_phase = random.between(8'000, 20'000);
    if (random.chance(10)) {  // long enough for numbers to lie about
        s.clock_faults = false;
        s.fault_phase = 60'000;
        s.fault_interval = 3'000;
    }
    return s;
}

}  // namespace frond::sim
