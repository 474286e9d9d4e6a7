// What goes wrong in a run, and when.
#pragma once

#include "sim/instance.hpp"
#include "sim/world.hpp"

#include <memory>
#include <vector>

namespace frond::sim {

using Instances = std::vector<std::unique_ptr<Instance>>;

// Used by one thread.
class Faults {
public:
    Faults(World& world, Instances& instances) : world_(world), instances_(instances) {}

    // Starts the instances, and the faults, which go on until the world is healed.
    void begin();

private:
    void strike_later();
    void strike();

    void crash(Instance& instance);
    void stop(Instance& instance);
    void restart_later(Instance& instance);
    void restart(Instance& instance);
    void replace_disk(Instance& instance);
    void pause(Instance& instance);
    void cut(Instance& instance);
    void disk_trouble(Instance& instance);
    void step_clock(Instance& instance);
    void copy_memory(Instance& instance);
    void registry_trouble();
    // Short mostly, and sometimes longer than a fence lasts.
    [[nodiscard]] Time some_time();

    World& world_;
    Instances& instances_;
};

}  // namespace frond::sim
