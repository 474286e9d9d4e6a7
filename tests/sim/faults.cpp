#include "sim/faults.hpp"

#include <algorithm>
#include <array>

namespace frond::sim {
namespace {

constexpr std::int64_t second = 1'000;
constexpr std::int64_t hour = 3'600 * second;
constexpr std::int64_t year = 365 * 24 * hour;

constexpr std::array<std::int64_t, 12> steps{-1, -5,     -second, -30 * second, -hour,       1,
                                             5,  second, hour,    10 * year,    -2 * second, 30 * second};

}  // namespace

void Faults::begin() {
    const bool at_once = world_.random.chance(50);
    for (auto& instance : instances_) {
        world_.queue.at(at_once ? 0 : world_.random.between(0, 2'000), [&one = *instance] {
            if (one.process() == nullptr) one.start();
        });
    }
    strike_later();
}

void Faults::strike_later() {
    world_.queue.after(world_.random.between(1, 2 * world_.scenario.fault_interval), [this] {
        if (world_.healed) return;
        strike();
        strike_later();
    });
}

void Faults::strike() {
    Instance& instance = *instances_[world_.random.next() % instances_.size()];
    const std::int64_t kind = world_.random.between(0, 99);
    if (kind < 20) return crash(instance);
    if (kind < 34) return stop(instance);
    if (kind < 48) return pause(instance);
    if (kind < 62) return cut(instance);
    if (kind < 76) return disk_trouble(instance);
    if (kind < 89) return step_clock(instance);
    if (kind < 91) return copy_memory(instance);
    registry_trouble();
}

Time Faults::some_time() {
    const Scenario& s = world_.scenario;
    const std::int64_t kind = world_.random.between(0, 9);
    if (kind < 4) return world_.random.between(1, 300);
    if (kind < 8) return world_.random.between(300, s.fence_window);
    return world_.random.between(s.fence_window, 2 * s.fence_window + s.max_clock_skew);
}

void Faults::crash(Instance& instance) {
    if (instance.process() == nullptr) return;
    if (world_.random.chance(20)) {
        instance.reboot();
    } else {
        instance.kill();
    }
    restart_later(instance);
}

void Faults::stop(Instance& instance) {
    if (instance.process() == nullptr || instance.process()->releasing()) return;
    instance.begin_release();
    restart_later(instance);
}

void Faults::restart_later(Instance& instance) {
    world_.queue.after(some_time(), [this, &instance] {
        if (world_.healed) return;
        if (instance.process() != nullptr) {
            // It is still busy with its release, or somebody else has started it.
            if (instance.process()->releasing()) restart_later(instance);
            return;
        }
        restart(instance);
    });
}

void Faults::restart(Instance& instance) {
    if (world_.random.chance(15)) replace_disk(instance);
    if (world_.random.chance(30)) cut(instance);
    if (world_.random.chance(10)) step_clock(instance);
    instance.start();
}

void Faults::replace_disk(Instance& instance) {
    if (world_.random.chance(50)) {
        instance.disk.replace_directory(std::nullopt);
        return;
    }
    const Instance& other = *instances_[world_.random.next() % instances_.size()];
    world_.history.note(world_.now(), instance.index(), "gets a copy of the state directory of i{}", other.index());
    instance.disk.replace_directory(other.disk.content());
}

void Faults::pause(Instance& instance) {
    if (instance.process() != nullptr) instance.pause(some_time());
}

void Faults::cut(Instance& instance) {
    const Time duration = some_time();
    world_.history.note(world_.now(), instance.index(), "is cut off for {} ms", duration);
    instance.link.cut_until = world_.now() + duration;
}

void Faults::disk_trouble(Instance& instance) {
    if (!instance.disk.exists()) return;
    const Time until = world_.now() + some_time();
    const bool hangs = world_.random.chance(50);
    world_.history.note(world_.now(), instance.index(), "disk {} until {}", std::string_view(hangs ? "hangs" : "fails"),
                        until);
    (hangs ? instance.disk.hangs_until : instance.disk.fails_until) = until;
}

void Faults::step_clock(Instance& instance) {
    if (!world_.scenario.clock_faults) return;
    const std::int64_t present = instance.clock.offset_ms();
    const bool mend = std::abs(present) > world_.scenario.max_clock_skew && world_.random.chance(50);
    const std::int64_t by = mend ? -present : world_.random.pick(steps);
    world_.history.note(world_.now(), instance.index(), "wall clock steps by {} ms", by);
    instance.clock.step(by);
}

// A virtual machine is restored twice. With a state file, a copy that is started anew would trust it: no protocol can
// tell that the other copy lives.
void Faults::copy_memory(Instance& instance) {
    const Instance& other = *instances_[world_.random.next() % instances_.size()];
    if (&other == &instance || other.process() == nullptr) return;
    if (other.process()->releasing() || !other.process()->only_memory()) return;
    instance.become_copy_of(other);
}

void Faults::registry_trouble() {
    const std::int64_t kind = world_.random.between(0, 9);
    if (kind < 6) {
        world_.registry.down_until = world_.now() + some_time();
        world_.history.note(world_.now(), History::world, "registry is down until {}", world_.registry.down_until);
    } else if (kind < 8 && world_.scenario.clock_faults) {
        const std::int64_t present = world_.registry.clock_offset_ms;
        world_.registry.clock_offset_ms = present != 0 ? 0 : world_.random.pick(steps);
        world_.history.note(world_.now(), History::world, "registry's clock is off by {} ms",
                            world_.registry.clock_offset_ms);
    } else if (world_.scenario.strangers) {
        world_.registry.create_foreign(world_.now());
    }
}

}  // namespace frond::sim
