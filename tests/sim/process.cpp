#include "sim/process.hpp"

#include "sim/instance.hpp"
#include "worker/watermark.hpp"

#include <algorithm>
#include <array>
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

std::string_view name_of(const worker::RegistryCall& call) {
    constexpr std::array<std::string_view, 5> names{"survey", "create", "write", "read", "find"};
    return names.at(call.index());
}

std::string_view name_of(const worker::RegistryReply& reply) {
    constexpr std::array<std::string_view, 5> names{"an error", "the survey", "created", "written",
                                                    "the record or none"};
    constexpr std::array<std::string_view, 7> faults{"unavailable", "unknown",       "conflict",      "missing",
                                                     "full",        "contradiction", "went backwards"};
    const auto* error = std::get_if<worker::RegistryError>(&reply);
    return error == nullptr ? names.at(reply.index()) : faults.at(static_cast<std::size_t>(error->fault));
}

bool changes_something(const worker::RegistryCall& call) {
    return std::holds_alternative<worker::WriteCall>(call) || std::holds_alternative<worker::CreateCall>(call);
}

}  // namespace

struct Process::Flight {
    worker::RegistryCall call;
    Caller caller;
    Passage passage;
    Time sent;
    SteadyTime sent_steady;
};

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
    if (metrics_.use_count() > 1) return;  // the last of several copies counts for all
    world_.totals.leases += metrics_->leases_taken.value();
    world_.totals.lost += metrics_->leases_lost.value();
    world_.totals.store_errors += metrics_->state_file_errors.value();
}

std::string Process::trouble() const { return issuer_.trouble() ? issuer_.trouble()->detail : std::string("none"); }

worker::Moment Process::moment() const {
    const SteadyTime steady = instance_.steady();
    return {clock_.line().at(steady.time_since_epoch().count()), steady};
}

// As the service does it: no ID depends on the clock while no lease is held.
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
    if (world_.now() - spin_since_ > 1'000) {
        spin_since_ = world_.now();
        spins_ = 0;
    }
    if (++spins_ > most_spins) {
        world_.checker.fail(world_.now(), Property::quiet, fmt::format("i{} spins", instance_.index()));
    }
    schedule_lanes();
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

void Process::send(worker::RegistryCall call) {
    const bool holding = machine_.holding();
    const Seam& seam = world_.seam;
    seam.alter_call(call, holding);
    note_write(call);
    if (const auto limit = seam.limit_when_sent(call, holding, state_file_)) issuer_.raise_limit(*limit);

    const Time now = world_.now();
    Caller caller{instance_.index(), identity_, seen_, seam.overwrites(call, holding)};
    auto flight = std::make_shared<Flight>(
        Flight{std::move(call), std::move(caller), instance_.link.send(now), now, instance_.steady()});
    flight_ = flight;
    const Passage& passage = flight->passage;
    const Time timeout = world_.scenario.call_timeout;
    world_.history.note(now, instance_.index(), "calls {}, arrives after {}, returns after {}", name_of(flight->call),
                        passage.arrives.value_or(-1), passage.returns.value_or(-1));
    if (passage.arrives) {
        world_.queue.after(*passage.arrives, [&world = world_, &instance = instance_, life = instance_.life(), flight] {
            arrive(world, instance, life, flight);
        });
    }
    if (passage.refused) {
        instance_.after(*passage.returns, [this, flight] {
            deliver(flight, worker::RegistryError{worker::RegistryFault::unavailable, "refused"}, seen_);
        });
    } else if (!passage.returns) {
        instance_.after(timeout, [this, flight] { give_up(flight); });
    }
}

void Process::note_write(const worker::RegistryCall& call) {
    const worker::LeaseRecord* record = nullptr;
    if (const auto* write = std::get_if<worker::WriteCall>(&call)) record = &write->record;
    if (const auto* create = std::get_if<worker::CreateCall>(&call)) record = &create->record;
    if (record == nullptr) return;
    highest_fence_ = std::max(highest_fence_, record->fence);
    last_write_ = {record->owner, record->write};
}

// At the registry, whether the sender lives or not.
void Process::arrive(World& world, Instance& instance, std::uint64_t life, const std::shared_ptr<Flight>& flight) {
    const Time give_up_at = flight->sent + world.scenario.call_timeout;
    if (world.now() < world.registry.down_until || (flight->passage.returns && instance.link.cut(world.now()))) {
        if (flight->passage.returns)
            instance.at(give_up_at, life, [&instance, flight] { instance.process()->give_up(flight); });
        return;
    }
    Answer answer = world.registry.execute(world.now(), flight->call, flight->caller);
    if (!flight->passage.returns) return;
    auto shared = std::make_shared<Answer>(std::move(answer));
    instance.at(flight->sent + *flight->passage.returns, life, [&world, &instance, life, flight, shared, give_up_at] {
        if (instance.link.cut(world.now())) {
            instance.at(give_up_at, life, [&instance, flight] { instance.process()->give_up(flight); });
        } else {
            instance.process()->deliver(flight, std::move(shared->reply), shared->seen);
        }
    });
}

void Process::give_up(const std::shared_ptr<Flight>& flight) {
    const auto fault =
        changes_something(flight->call) ? worker::RegistryFault::unknown : worker::RegistryFault::unavailable;
    deliver(flight, worker::RegistryError{fault, "no answer"}, seen_);
}

void Process::deliver(const std::shared_ptr<Flight>& flight, worker::RegistryReply reply, std::size_t seen) {
    seen_ = std::max(seen_, seen);
    const SteadyTime now = instance_.steady();
    const SteadyTime middle = flight->sent_steady + (now - flight->sent_steady) / 2;
    std::visit(
        [&](auto& value) {
            if constexpr (requires { value.clock; }) {
                if (value.clock) value.clock->steady = middle;
            }
        },
        reply);
    flight_.reset();
    world_.seam.alter_reply(flight->call, reply, last_write_);
    world_.history.note(world_.now(), instance_.index(), "gets {}", name_of(reply));
    const bool away = std::holds_alternative<worker::RegistryError>(reply);
    const auto limit = world_.seam.limit_when_confirmed(flight->call, reply, state_file_);
    const bool was_held = machine().holding();
    machine().call_done(moment(), std::move(reply));
    if (away && !was_held && machine().holding()) ++world_.totals.offline;
    if (limit) issuer_.raise_limit(*limit);
    if (was_held != machine().holding()) {
        world_.history.note(world_.now(), instance_.index(), "holds a lease: {}", machine().holding());
    }
    run_lanes();
}

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

void Process::take() {
    if (const auto look = issuer_.look()) {
        const std::int64_t now_ms = moment().now_ms;
        const std::uint64_t count = wanted(*look);
        if (world_.random.chance(releasing_ ? 80 : 15)) {
            // Between the look and the take the thread is put aside.
            const Time delay =
                world_.random.chance(20) ? world_.random.between(50, 2'000) : world_.random.between(1, 50);
            instance_.after(delay, [this, seen = *look, now_ms, count] { finish_take(seen, now_ms, count); });
        } else {
            finish_take(*look, now_ms, count);
        }
    }
    if (!releasing_) instance_.after(world_.random.between(10, 250), [this] { take(); });
}

std::uint64_t Process::wanted(const SimIssuer::Look& look) {
    if (world_.random.chance(50)) return static_cast<std::uint64_t>(world_.random.between(1, 3));
    return issuer_.max_take(look) >> world_.random.between(0, 4);
}

void Process::finish_take(const SimIssuer::Look& look, std::int64_t now_ms, std::uint64_t count) {
    const auto run = issuer_.take(look, now_ms, std::max<std::uint64_t>(count, 1));
    if (!run) return;
    const int bits = world_.scenario.space.layout.sequence_bits();
    world_.history.note(
        world_.now(), instance_.index(), "worker {} issues {} from {}", issuer_.worker_id(look), run->count,
        static_cast<std::int64_t>(run->first >> bits) + SnowflakeLayout::leaf_epoch_ms - Scenario::unix_start_ms);
    world_.checker.issued(world_.now(), taker_, issuer_.worker_id(look), *run);
    instance_.note_issue();
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
