// What one run is about: sizes, options and how unkind the world is, all drawn from the seed.
#pragma once

#include "sim/event_queue.hpp"
#include "sim/prng.hpp"
#include "worker/lease_record.hpp"

#include <cstdint>

namespace frond::sim {

inline constexpr int most_instances = 8;

// Times in ms, chances in percent.
struct Scenario {
    static constexpr std::int64_t unix_start_ms = 1'750'000'000'000;  // true time at simulated time 0

    int instances = 2;
    worker::LeaseSpace space;
    std::int64_t first_number = 0;

    Time max_ahead = 300;
    Time max_clock_skew = 500;
    Time heartbeat = 300;
    Time fence_window = 2'000;

    bool registry_clock = true;  // SQLite has none
    bool clock_faults = true;    // clocks step and are off; else all are right within the skew
    bool strangers = false;      // a Leaf server takes numbers, too
    enum class Identity : std::uint8_t {
        of_instance,
        of_life,  // as pods with new names have
        of_all,   // somebody configured one name for all: it must not matter
    };
    Identity identity = Identity::of_instance;
    int with_disk = 60;  // chance that an instance has a state directory
    int loss = 3;        // chance that a request, or a reply, is lost
    int zombie = 2;      // chance that a request lands long after its sender gave up
    int stale = 10;      // chance that a read shows an older state
    Time slowest_link = 30;
    Time call_timeout = 800;
    Time latest_zombie = 6'000;
    Time fault_interval = 800;  // mean time between two faults
    Time fault_phase = 20'000;  // then the world is healed

    static Scenario draw(Random& random);
};

}  // namespace frond::sim
