// One life of an instance: a real LeaseMachine and what drives it, as LeaseKeeper and the service would.
#pragma once

#include "sim/sim_issuer.hpp"
#include "sim/sim_link.hpp"
#include "sim/world.hpp"
#include "snowflake/clock_discipline.hpp"
#include "worker/lease_machine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace frond::sim {

class Instance;

// Used by one thread. Its actions are scheduled through the instance, which drops those of a process that is dead.
class Process {
public:
    Process(World& world, Instance& instance, std::string identity, worker::StateAccess access);
    // A copy of `original`'s memory, as a virtual machine restored twice makes; what it had under way is lost.
    Process(World& world, Instance& instance, const Process& original);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void start();
    // The same for a copy, which is in the midst of its life.
    void go_on();
    // Stops issuing and gives the lease back; then the instance is told that the process is over.
    void begin_release();
    [[nodiscard]] bool releasing() const noexcept { return releasing_; }
    // Killed: a write of the state file that is under way happens or not.
    void die();

    // Whether it works without a state file, so that only its memory counts.
    [[nodiscard]] bool only_memory() const noexcept { return !state_file_; }
    [[nodiscard]] std::string trouble() const;

private:
    struct Flight;  // a call under way

    [[nodiscard]] worker::LeaseMachine& machine();
    [[nodiscard]] worker::Moment moment() const;
    void look_at_clocks();
    void step();
    void observe(const worker::Moment& seen);
    void run_lanes();
    void check_quiet();
    void schedule_lanes();

    void send(worker::RegistryCall call);
    void note_write(const worker::RegistryCall& call);
    static void arrive(World& world, Instance& instance, std::uint64_t life, const std::shared_ptr<Flight>& flight);
    void give_up(const std::shared_ptr<Flight>& flight);
    void deliver(const std::shared_ptr<Flight>& flight, worker::RegistryReply reply, std::size_t seen);

    void store(const worker::WorkerState& state);
    void finish_store();
    void store_done(bool stored);

    void take();
    void finish_take(const SimIssuer::Look& look, std::int64_t now_ms, std::uint64_t count);
    [[nodiscard]] std::uint64_t wanted(const SimIssuer::Look& look);

    World& world_;
    Instance& instance_;
    const std::string identity_;
    const bool state_file_;
    const std::shared_ptr<worker::KeeperMetrics> metrics_;  // shared with copies, as is the switch
    const std::shared_ptr<IssuerSwitch> switch_;
    const Checker::Taker taker_;
    SimIssuer issuer_;
    snowflake::ClockDiscipline clock_;
    worker::LeaseMachine machine_;

    std::size_t seen_ = 0;                      // commits of the registry
    std::shared_ptr<Flight> flight_;            // under way
    std::optional<worker::WorkerState> store_;  // under way
    std::int64_t highest_fence_ = INT64_MIN;    // of all that was sent
    Seam::LastWrite last_write_;
    Time lanes_due_ = -1;  // when they are to be looked at; negative: not planned
    bool releasing_ = false;
    bool over_ = false;
    Time spin_since_ = 0;
    int spins_ = 0;  // looks at the lanes since then
};

}  // namespace frond::sim
