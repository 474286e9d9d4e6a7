// The registry lane of a process: calls on their way, and their replies.
#include "sim/instance.hpp"
#include "sim/process.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace frond::sim {
namespace {

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

void Process::send(worker::RegistryCall call) {
    const bool holding = machine_.holding();
    const Seam& seam = world_.seam;
    seam.alter_call(call, holding);
    note_write(call);
    if (const auto limit = seam.limit_when_sent(call, holding, state_file_)) issuer_.raise_limit(*limit);

    const Time now = world_.now();
    Caller caller{instance_.index(), seen_, seam.overwrites(call, holding)};
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

}  // namespace frond::sim
