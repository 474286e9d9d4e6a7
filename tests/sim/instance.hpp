// A machine with its clocks, disk and network, and the process that lives on it, if one does.
#pragma once

#include "sim/process.hpp"
#include "sim/sim_clock.hpp"
#include "sim/sim_disk.hpp"
#include "sim/sim_link.hpp"
#include "sim/world.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace frond::sim {

// Used by one thread.
class Instance {
public:
    Instance(World& world, int index);
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    // A new process begins; only while none lives.
    void start();
    void kill();
    void begin_release();
    // Its process is killed, and a copy of another one's memory goes on in its place, with the clocks that it knows.
    void become_copy_of(const Instance& other);
    // The process ended by itself.
    void ended();
    // It does nothing for a while, and then goes on where it was.
    void pause(Time duration);
    // The machine starts anew; kills the process.
    void reboot();
    // Network, disk and clocks are right, and a process runs.
    void heal();

    // Carries out the action at that time, or when a pause is over, unless another life has begun by then.
    void at(Time time, std::uint64_t life, std::function<void()> action);
    void after(Time delay, std::function<void()> action) { at(world_.now() + delay, life_, std::move(action)); }

    // Something was issued.
    void note_issue() noexcept { last_issue_ = world_.now(); }

    [[nodiscard]] int index() const noexcept { return index_; }
    [[nodiscard]] std::uint64_t life() const noexcept { return life_; }
    [[nodiscard]] Process* process() const noexcept { return process_.get(); }
    [[nodiscard]] Time last_issue() const noexcept { return last_issue_; }
    [[nodiscard]] SteadyTime steady() const noexcept { return clock.steady(world_.now()); }
    [[nodiscard]] WallTime wall() const noexcept { return clock.wall(world_.now()); }

    SimClock clock;
    SimDisk disk;
    SimLink link;

private:
    void fire(std::uint64_t life, std::function<void()> action);
    [[nodiscard]] worker::StateAccess open_state_directory();
    [[nodiscard]] std::string make_identity() const;

    World& world_;
    const int index_;
    std::uint64_t life_ = 0;  // changes when a process begins or ends
    Time paused_until_ = 0;
    Time last_issue_ = -1;
    std::unique_ptr<Process> process_;
};

}  // namespace frond::sim
