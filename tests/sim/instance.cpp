#include "sim/instance.hpp"

#include <algorithm>
#include <utility>

namespace frond::sim {
namespace {

constexpr std::int64_t good_drift_ppm = 200;

SimClock draw_clock(World& world) {
    const Time skew = world.scenario.max_clock_skew;
    const bool far_off = world.scenario.clock_faults && world.random.chance(10);
    const std::int64_t offset =
        far_off ? world.random.between(-60'000, 60'000) : world.random.between(-skew / 3, skew / 3);
    const std::int64_t most_drift_ppm = far_off ? 50'000 : good_drift_ppm;
    return {offset, world.random.between(-most_drift_ppm, most_drift_ppm)};
}

}  // namespace

Instance::Instance(World& world, int index)
    : clock(draw_clock(world)),
      disk(index, world.random.chance(world.scenario.with_disk)),
      link(world.scenario, world.random),
      world_(world),
      index_(index) {}

worker::StateAccess Instance::open_state_directory() {
    worker::StateAccess access;
    if (!disk.exists()) return access;
    access.holder = disk.holder();
    const bool unreadable = world_.now() < disk.fails_until && world_.random.chance(30);
    if (unreadable) return access;
    access.usable = true;
    access.found = disk.content();
    if (access.found && world_.seam.trusts_copies()) access.found->holder = access.holder;
    return access;
}

std::string Instance::make_identity() const {
    switch (world_.scenario.identity) {
        case Scenario::Identity::of_instance:
            return fmt::format("i{}", index_);
        case Scenario::Identity::of_life:
            return fmt::format("i{}.{}", index_, life_);
        case Scenario::Identity::of_all:
            break;
    }
    return "i";
}

void Instance::start() {
    ++life_;
    ++world_.totals.lives;
    auto access = open_state_directory();
    auto identity = make_identity();
    world_.history.note(world_.now(), index_, "starts as {}, wall clock off by {} ms, state file {}", identity,
                        clock.offset_ms(),
                        std::string_view(access.found    ? "found"
                                         : access.usable ? "empty"
                                                         : "none"));
    process_ = std::make_unique<Process>(world_, *this, std::move(identity), std::move(access));
    process_->start();
}

void Instance::kill() {
    if (!process_) return;
    world_.history.note(world_.now(), index_, "is killed");
    process_->die();
    ended();
}

void Instance::become_copy_of(const Instance& other) {
    kill();
    ++life_;
    ++world_.totals.copies;
    world_.history.note(world_.now(), index_, "becomes a copy of i{}", other.index_);
    clock = other.clock;
    process_ = std::make_unique<Process>(world_, *this, *other.process_);
    process_->go_on();
}

void Instance::ended() {
    process_.reset();
    ++life_;
    paused_until_ = 0;
}

void Instance::begin_release() {
    if (!process_ || process_->releasing()) return;
    world_.history.note(world_.now(), index_, "is asked to stop");
    process_->begin_release();
}

void Instance::pause(Time duration) {
    world_.history.note(world_.now(), index_, "pauses for {} ms", duration);
    paused_until_ = world_.now() + duration;
}

void Instance::reboot() {
    kill();
    world_.history.note(world_.now(), index_, "loses power");
    disk.lose_power(world_.random);
    clock.reboot(world_.now());
}

void Instance::heal() {
    link.cut_until = 0;
    link.perfect = true;
    disk.fails_until = 0;
    disk.hangs_until = 0;
    paused_until_ = 0;
    const Time near = world_.scenario.max_clock_skew / 4;
    clock.drift(world_.now(), world_.random.between(-good_drift_ppm, good_drift_ppm));
    clock.set_right(world_.now(), world_.random.between(-near, near));
    if (process_ && process_->releasing()) kill();
    if (!process_) start();
}

void Instance::at(Time time, std::uint64_t life, std::function<void()> action) {
    world_.queue.at(time, [this, life, what = std::move(action)]() mutable { fire(life, std::move(what)); });
}

void Instance::fire(std::uint64_t life, std::function<void()> action) {
    if (life != life_) return;
    if (world_.now() < paused_until_) {
        at(paused_until_, life, std::move(action));
        return;
    }
    action();
}

}  // namespace frond::sim
