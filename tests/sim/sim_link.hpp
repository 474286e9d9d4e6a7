// The network between one instance and the registry.
#pragma once

#include "sim/event_queue.hpp"
#include "sim/prng.hpp"
#include "sim/scenario.hpp"

#include <cstdint>
#include <optional>

namespace frond::sim {

// What becomes of one call, decided when it is sent. Delays in ms from then on.
struct Passage {
    std::optional<Time> arrives;  // at the registry; none: lost on the way
    std::optional<Time> returns;  // the reply; none: lost, or later than the caller waits
    bool refused = false;         // the caller learns that it was not sent, after `returns`
};

// Used by one thread.
class SimLink {
public:
    SimLink(const Scenario& scenario, Random& random) : scenario_(scenario), random_(random) {}

    [[nodiscard]] bool cut(Time now) const noexcept { return now < cut_until; }
    Passage send(Time now);

    // Nothing passes, in neither direction, until then.
    Time cut_until = 0;
    // Neither loss nor late arrivals.
    bool perfect = false;

private:
    [[nodiscard]] Time delay() { return random_.between(1, scenario_.slowest_link); }

    const Scenario& scenario_;
    Random& random_;
};

}  // namespace frond::sim
