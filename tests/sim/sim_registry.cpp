#include "sim/sim_registry.hpp"

#include <algorithm>
#include <utility>

namespace frond::sim {
namespace {

using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryReply;

constexpr Time oldest_read = 4'000;
// By then whoever wanted the record could have got it: answers, retries and late writes included.
constexpr Time long_past = 15'000;

RegistryReply fault(RegistryFault kind) { return RegistryError{kind, "simulated"}; }

}  // namespace

SimRegistry::SimRegistry(const Scenario& scenario, Random& random, Checker& checker, History& history)
    : scenario_(scenario), random_(random), checker_(checker), history_(history) {
    log_.reserve(256);
}

std::int64_t SimRegistry::clock_ms(Time now) const noexcept { return Scenario::unix_start_ms + now + clock_offset_ms; }

std::optional<worker::RegistryClock> SimRegistry::clock(Time now) const {
    if (!scenario_.registry_clock) return std::nullopt;
    return worker::RegistryClock{clock_ms(now), SteadyTime{}};
}

Answer SimRegistry::execute(Time now, const worker::RegistryCall& call, const Caller& caller) {
    if (const auto* wanted = std::get_if<worker::CreateCall>(&call)) {
        auto reply = create(now, wanted->record, caller);
        return {std::move(reply), log_.size()};
    }
    if (const auto* wanted = std::get_if<worker::WriteCall>(&call)) {
        auto reply = write(now, *wanted, caller);
        return {std::move(reply), log_.size()};
    }
    const std::size_t view = choose_view(now, caller.seen);
    if (const auto* wanted = std::get_if<worker::ReadCall>(&call)) return {read(wanted->number, view), view};
    if (const auto* wanted = std::get_if<worker::FindCall>(&call)) return {find(wanted->created, view), view};
    return {survey(now, view), view};
}

std::size_t SimRegistry::choose_view(Time now, std::size_t seen) {
    if (fresh || !random_.chance(scenario_.stale)) return log_.size();
    const auto young = [&](const Commit& commit) { return commit.time >= now - oldest_read; };
    const auto first = std::find_if(log_.begin(), log_.end(), young);
    const auto oldest = std::max(seen, static_cast<std::size_t>(first - log_.begin()));
    return static_cast<std::size_t>(
        random_.between(static_cast<std::int64_t>(oldest), static_cast<std::int64_t>(log_.size())));
}

const SimRegistry::Commit* SimRegistry::latest(const Slot& slot, std::size_t view) const {
    const auto after = std::lower_bound(slot.commits.begin(), slot.commits.end(), view);
    return after == slot.commits.begin() ? nullptr : &log_[*std::prev(after)];
}

SimRegistry::Slot* SimRegistry::find_slot(std::int64_t number) {
    const std::int64_t index = number - scenario_.first_number;
    if (index < 0 || index >= static_cast<std::int64_t>(slots_.size())) return nullptr;
    return &slots_[static_cast<std::size_t>(index)];
}

worker::RecordView SimRegistry::view_of(const Commit& commit) const {
    return {commit.number, commit.version, commit.modified_ms, commit.record, fmt::format("n{}", commit.number), {}};
}

RegistryReply SimRegistry::survey(Time now, std::size_t view) {
    worker::Survey survey;
    survey.name = {"name", scenario_.space, {}, INT64_MIN};
    survey.first_number = scenario_.first_number;
    survey.next_number = scenario_.first_number;
    for (const auto& slot : slots_) {
        const Commit* commit = latest(slot, view);
        if (commit == nullptr) break;
        survey.records.push_back(view_of(*commit));
        ++survey.next_number;
    }
    survey.clock = clock(now);
    return survey;
}

RegistryReply SimRegistry::create(Time now, const worker::LeaseRecord& record, const Caller& caller) {
    const std::int64_t number = scenario_.first_number + static_cast<std::int64_t>(slots_.size());
    if (!scenario_.space.holds(number)) return fault(RegistryFault::full);
    check_few(now, caller.instance);
    slots_.push_back({record.owner, {}});
    commit(now, caller.instance, number, 0, record);
    return worker::Created{number, 0, clock(now)};
}

RegistryReply SimRegistry::write(Time now, const worker::WriteCall& call, const Caller& caller) {
    const Slot* slot = find_slot(call.number);
    if (slot == nullptr) return fault(RegistryFault::missing);
    const Commit& present = log_[slot->commits.back()];
    if (!present.record) {
        checker_.fail(now, Property::foreign,
                      fmt::format("i{} wrote number {}, which is not Frond's", caller.instance, call.number));
        return fault(RegistryFault::conflict);
    }
    if (present.version != call.version && !caller.overwrites) return fault(RegistryFault::conflict);
    const std::int64_t version = present.version + 1;
    commit(now, caller.instance, call.number, version, call.record);
    return worker::Written{version, clock(now)};
}

RegistryReply SimRegistry::read(std::int64_t number, std::size_t view) {
    const Slot* slot = find_slot(number);
    const Commit* commit = slot == nullptr ? nullptr : latest(*slot, view);
    return commit == nullptr ? worker::Found{} : worker::Found{view_of(*commit)};
}

RegistryReply SimRegistry::find(const worker::LeaseRecord& created, std::size_t view) {
    const auto made = [&](const Slot& slot) { return slot.created_by == created.owner; };
    const auto slot = std::find_if(slots_.begin(), slots_.end(), made);
    const Commit* commit = slot == slots_.end() ? nullptr : latest(*slot, view);
    return commit == nullptr ? worker::Found{} : worker::Found{view_of(*commit)};
}

void SimRegistry::commit(Time now, int instance, std::int64_t number, std::int64_t version,
                         const worker::LeaseRecord& record) {
    Slot& slot = *find_slot(number);
    const worker::LeaseRecord* before = slot.commits.empty() ? nullptr : &*log_[slot.commits.back()].record;
    checker_.committed(now, instance, number, before, record);
    if (before != nullptr && before->owner != record.owner) {
        const bool resumed = before->state == worker::LeaseState::held && before->fence >= clock_ms(now);
        ++(resumed ? resumes_ : take_overs_);
    }
    history_.note(now, instance, "commit n{} v{} owner {} write {} fence {} {}", number, version, record.owner,
                  record.write, record.fence - Scenario::unix_start_ms,
                  std::string_view(record.state == worker::LeaseState::held ? "held" : "released"));
    slot.commits.push_back(log_.size());
    log_.push_back({now, number, version, clock_ms(now), record});
}

void SimRegistry::create_foreign(Time now) {
    const std::int64_t number = scenario_.first_number + static_cast<std::int64_t>(slots_.size());
    if (!scenario_.space.holds(number)) return;
    history_.note(now, History::world, "n{} is taken by a stranger", number);
    slots_.push_back({{}, {log_.size()}});
    log_.push_back({now, number, 0, clock_ms(now), std::nullopt});
}

bool SimRegistry::past(Time now, const worker::LeaseRecord& record) const {
    const std::int64_t limit = Scenario::unix_start_ms + now;
    if (record.state == worker::LeaseState::released) return record.fence <= limit + scenario_.max_ahead;
    return record.fence + scenario_.max_clock_skew < limit;
}

bool SimRegistry::has_free_number(Time now, Time since) const {
    const auto next = scenario_.first_number + static_cast<std::int64_t>(slots_.size());
    if (scenario_.space.holds(next)) return true;
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        const Commit& commit = log_[slot.commits.back()];
        return commit.record && commit.time <= now - since && past(now - since, *commit.record);
    });
}

// A number may be created while some others are about to be taken, but not while they lie about.
void SimRegistry::check_few(Time now, int instance) {
    // Whose clock is wrong may rightly shun what it finds.
    if (scenario_.clock_faults) return;
    const auto lies_about = [&](const Slot& slot) {
        const Commit& commit = log_[slot.commits.back()];
        return commit.record && commit.time <= now - long_past && past(now - long_past, *commit.record);
    };
    const auto unused = std::count_if(slots_.begin(), slots_.end(), lies_about);
    if (unused < scenario_.instances) return;
    checker_.fail(now, Property::few, fmt::format("i{} creates a number while {} can be had", instance, unused));
}

}  // namespace frond::sim
