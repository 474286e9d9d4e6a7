// All that the instances of one run share.
#pragma once

#include "sim/checker.hpp"
#include "sim/event_queue.hpp"
#include "sim/history.hpp"
#include "sim/mutation.hpp"
#include "sim/prng.hpp"
#include "sim/scenario.hpp"
#include "sim/sim_registry.hpp"

#include <cstdint>
#include <string>

namespace frond::sim {

// What happened in a run, to see that the simulation reaches what it is meant to reach.
struct Totals {
    std::uint64_t lives = 0;
    std::uint64_t leases = 0;
    std::uint64_t lost = 0;
    std::uint64_t take_overs = 0;
    std::uint64_t resumes = 0;
    std::uint64_t offline = 0;  // leases that began while the registry was away
    std::uint64_t releases = 0;
    std::uint64_t copies = 0;  // of a memory
    std::uint64_t store_errors = 0;
    std::uint64_t ids = 0;
    std::uint64_t events = 0;

    Totals& operator+=(const Totals& other) noexcept {
        lives += other.lives;
        leases += other.leases;
        lost += other.lost;
        take_overs += other.take_overs;
        resumes += other.resumes;
        offline += other.offline;
        releases += other.releases;
        copies += other.copies;
        store_errors += other.store_errors;
        ids += other.ids;
        events += other.events;
        return *this;
    }
};

// Used by one thread.
struct World {
    World(std::uint64_t seed, Mutation mutation, History::Text text)
        : random(seed),
          scenario(Scenario::draw(random)),
          history(text),
          checker(scenario.space, mutation != Mutation::none),
          seam(mutation),
          registry(scenario, random, checker, history) {}
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    Random random;
    const Scenario scenario;
    EventQueue queue;
    History history;
    Checker checker;
    const Seam seam;
    SimRegistry registry;
    Totals totals;
    bool healed = false;  // no faults any more

    [[nodiscard]] Time now() const noexcept { return queue.now(); }
    // For owners and writes; unique in the run.
    [[nodiscard]] std::string new_id() { return fmt::format("{:08x}w{}", random.next() >> 32, ++last_id_); }

private:
    std::uint64_t last_id_ = 0;
};

}  // namespace frond::sim
