// The state file lane of a process.
#include "sim/instance.hpp"
#include "sim/process.hpp"

#include <algorithm>

namespace frond::sim {

void Process::store(const worker::WorkerState& state) {
    store_ = state;
    const bool slow = !world_.healed && world_.random.chance(5);
    const Time delay = slow ? world_.random.between(50, 600) : world_.random.between(0, 5);
    const Time done = std::max(world_.now() + delay, instance_.disk.hangs_until);
    // The kernel goes on writing while the process is paused.
    world_.queue.at(done, [&instance = instance_, life = instance_.life()] {
        if (life == instance.life()) instance.process()->finish_store();
    });
}

void Process::finish_store() {
    const bool failed = world_.now() < instance_.disk.fails_until;
    const bool replaced =
        world_.seam.stores(*store_, instance_.disk.content()) && (!failed || world_.random.chance(20));
    if (replaced) instance_.disk.replace(*store_, world_.random);
    instance_.after(0, [this, failed] { store_done(!failed); });
}

void Process::store_done(bool stored) {
    world_.history.note(world_.now(), instance_.index(), "state of worker {} {}, watermark {}: {}", store_->worker_id,
                        std::string_view(store_->use == worker::WorkerState::Use::held ? "held" : "released"),
                        store_->watermark - Scenario::unix_start_ms, std::string_view(stored ? "stored" : "failed"));
    store_.reset();
    machine().store_done(moment(), stored ? Result<void>() : Error(errc::store_unavailable, "simulated"));
    run_lanes();
}

}  // namespace frond::sim
