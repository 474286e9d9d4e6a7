#include "sim/process.hpp"

#include "sim/instance.hpp"
#include "worker/watermark.hpp"

#include <algorithm>
#include <utility>

namespace frond::sim {
namespace {

using std::chrono::milliseconds;

constexpr Time longest_wait = 1'000;
constexpr int most_spins = 400;  // looks at the lanes within a second

worker::LeaseOptions machine_options(World& world, const std::string& identity) {
    const Scenario& s = world.scenario;
    worker::LeaseOptions options;
    options.name = std::string("name");
    options.space = s.space;
    options.registry = std::string("simulated");
    options.identity = identity;
    options.port = std::string("80");
    options.max_ahead = milliseconds(s.max_ahead);
    options.max_clock_skew = milliseconds(s.max_clock_skew);
    options.heartbeat = milliseconds(s.heartbeat);
    options.fence_window = milliseconds(s.fence_window);
    options.new_id = [&world] { return world.new_id(); };
    return options;
}

}  // namespace

Process::Process(World& world, Instance& instance, std::string identity, worker::StateAccess access)
    : world_(world),
      instance_(instance),
      identity_(std::move(identity)),
      state_file_(access.usable),
      metrics_(std::make_shared<worker::KeeperMetrics>()),
      switch_(std::make_shared<IssuerSwitch>()),
      taker_(world.checker.new_taker(instance.index())),
      issuer_(world.seam, instance.index()),
      clock_(instance.wall(), instance.steady()),
      machine_(machine_options(world, identity_), std::move(access), *switch_, *metrics_) {}

Process::Process(World& world, Instance& instance, const Process& original)
    : world_(world),
      instance_(instance),
      identity_(original.identity_),
      state_file_(original.state_file_),
      metrics_(original.metrics_),
      switch_(original.switch_),
      taker_(world.checker.copy_taker(original.taker_, instance.index(), original.highest_fence_)),
      issuer_(original.issuer_, instance.index()),
      clock_(original.clock_),
      machine_(original.machine_),
      seen_(original.seen_),
      flight_(original.flight_),
      highest_fence_(original.highest_fence_),
      last_write_(original.last_write_) {}

worker::LeaseMachine& Process::machine() {
    switch_->lead_to(issuer_);
    return machine_;
}

void Process::start() {
    step();
    take();
}

void Process::go_on() {
    if (flight_) {
        instance_.after(world_.scenario.call_timeout, [this, flight = flight_] { give_up(flight); });
    }
    start();
}

void Process::die() {
    if (store_ && world_.now() >= instance_.disk.fails_until && world_.random.chance(50) &&
        world_.seam.stores(*store_, instance_.disk.content())) {
        instance_.disk.replace(*store_, world_.random);
    }
    if (metrics_.use_count() > 1) return;  // the last copy to die counts for all
    world_.totals.leases += metrics_->leases_taken.value();
    world_.totals.lost += metrics_->leases_lost.value();
    world_.totals.store_errors += metrics_->state_file_errors.value();
}

std::string Process::trouble() const { return issuer_.trouble() ? issuer_.trouble()->detail : std::string("none"); }

worker::Moment Process::moment() const {
    const SteadyTime steady = instance_.steady();
    return {clock_.line().at(steady.time_since_epoch().count()), steady};
}

// As the service does it: no ID depends on the clock until the first one is issued.
void Process::look_at_clocks() {
    if (machine().issuing()) {
        clock_.observe(instance_.wall(), instance_.steady());
    } else {
        clock_ = snowflake::ClockDiscipline(instance_.wall(), instance_.steady());
    }
}

void Process::step() {
    if (releasing_) return;
    look_at_clocks();
    const worker::Moment seen = moment();
    if (world_.random.chance(5)) {
        // The thread is put aside before it gets at the machine.
        instance_.after(world_.random.between(1, 100), [this, seen] { observe(seen); });
    } else {
        observe(seen);
    }
    const Time interval = worker::watermark_interval(world_.scenario.max_ahead).count();
    instance_.after(interval + world_.random.between(0, 5), [this] { step(); });
}

void Process::observe(const worker::Moment& seen) {
    if (over_) return;
    machine().observe(seen);
    if (const auto reference = machine().take_reference()) {
        clock_.offer_reference(wall_time(reference->ms), reference->steady);
    }
    run_lanes();
}

void Process::run_lanes() {
    if (over_) return;
    if (auto call = machine().next_call(moment())) send(std::move(*call));
    if (const auto state = machine().next_store(moment())) store(*state);
    if (releasing_ && machine().released()) {
        over_ = true;
        ++world_.totals.releases;
        instance_.after(0, [this] {
            world_.history.note(world_.now(), instance_.index(), "has stopped");
            die();
            instance_.ended();
        });
        return;
    }
    check_quiet();
    schedule_lanes();
}

void Process::check_quiet() {
    if (world_.now() - spin_since_ > 1'000) {
        spin_since_ = world_.now();
        spins_ = 0;
    }
    if (++spins_ <= most_spins) return;
    world_.checker.fail(world_.now(), Property::quiet, fmt::format("i{} spins", instance_.index()));
}

void Process::schedule_lanes() {
    const Time now = world_.now();
    const SteadyTime latest = instance_.steady() + milliseconds(longest_wait);
    const Time due = std::max(instance_.clock.when(std::min(machine().wake_at(), latest)), now + 1);
    if (lanes_due_ > now && lanes_due_ <= due) return;
    lanes_due_ = due;
    instance_.at(due, instance_.life(), [this, due] {
        if (lanes_due_ == due) run_lanes();
    });
}

void Process::begin_release() {
    releasing_ = true;
    // Some takers are always in the midst of it.
    for (int i = 0; i < 2; ++i) take();
    machine().begin_release(moment());
    instance_.after(world_.random.between(500, 3'000), [this] {
        if (!over_) instance_.kill();
    });
    run_lanes();
}

}  // namespace frond::sim
