#include "sim/sim_link.hpp"

namespace frond::sim {

Passage SimLink::send(Time now) {
    Passage passage;
    if (cut(now)) {
        if (random_.chance(50)) return passage;
        passage.refused = true;
        passage.returns = delay();
        return passage;
    }
    passage.arrives = delay();
    passage.returns = *passage.arrives + delay();
    if (perfect) return passage;

    if (random_.chance(scenario_.loss)) passage.arrives.reset();
    if (random_.chance(scenario_.loss)) passage.returns.reset();
    if (random_.chance(scenario_.zombie)) {
        passage.arrives = scenario_.call_timeout + random_.between(0, scenario_.latest_zombie);
        passage.returns.reset();
    }
    if (!passage.arrives) passage.returns.reset();
    return passage;
}

}  // namespace frond::sim
