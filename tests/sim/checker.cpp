#include "sim/checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace frond::sim {

std::string_view name_of(Property property) {
    switch (property) {
        case Property::unique:
            return "unique";
        case Property::fenced:
            return "fenced";
        case Property::monotone:
            return "monotone";
        case Property::foreign:
            return "foreign";
        case Property::few:
            return "few";
        case Property::alive:
            return "alive";
        case Property::quiet:
            return "quiet";
    }
    return "?";
}

void Checker::fail(Time now, Property property, std::string text) {
    if (violation_ || (only_unique_ && property != Property::unique)) return;
    violation_ = Violation{property, now, std::move(text)};
}

Checker::Number& Checker::number(std::int64_t index) {
    const auto at = static_cast<std::size_t>(index);
    if (at >= numbers_.size()) numbers_.resize(at + 1);
    return numbers_[at];
}

Checker::Taker Checker::new_taker(int instance) {
    families_.emplace_back();
    return {instance, processes_++, families_.size() - 1};
}

Checker::Taker Checker::copy_taker(const Taker& original, int instance, std::int64_t shared_until) {
    Family& family = families_[original.family];
    family.shared_until = std::max(family.shared_until, shared_until);
    family.copied = true;
    return {instance, processes_++, original.family};
}

std::int64_t Checker::ms_of(std::uint64_t tick) const {
    return space_.layout.epoch_ms() + static_cast<std::int64_t>(tick >> space_.layout.sequence_bits());
}

void Checker::issued(Time now, const Taker& taker, std::int64_t worker_id, const TickRun& run) {
    ids_ += run.count;
    add(now, taker, worker_id, run);
    check_fence(now, taker, worker_id, run);
}

// Walks through what was taken before, and fills the gaps.
void Checker::add(Time now, const Taker& taker, std::int64_t worker_id, const TickRun& run) {
    Ticks& taken = number(worker_id - space_.offset).taken;
    const std::uint64_t end = run.first + run.count;
    for (std::uint64_t at = run.first; at < end;) {
        const auto after = taken.upper_bound(at);
        const auto before = after == taken.begin() ? taken.end() : std::prev(after);
        if (before == taken.end() || before->second.end <= at) {
            const std::uint64_t gap_end = after == taken.end() ? end : std::min(end, after->first);
            insert(taken, at, {gap_end, taker, now});
            at = gap_end;
            continue;
        }
        const std::uint64_t both_end = std::min(end, before->second.end);
        if (!may_repeat(before->second.taker, taker, both_end - 1)) {
            fail(now, Property::unique,
                 fmt::format("worker ID {}: tick {} (ms {}) was issued by i{} at {} and again by i{}", worker_id, at,
                             ms_of(at), before->second.taker.instance, before->second.time, taker.instance));
            return;
        }
        at = both_end;
    }
}

// Runs of one taker grow together, so that the map stays small.
void Checker::insert(Ticks& taken, std::uint64_t first, const Taken& run) {
    const auto after = taken.lower_bound(first);
    if (after != taken.begin()) {
        Taken& before = std::prev(after)->second;
        if (before.end == first && before.taker.process == run.taker.process) {
            before.end = run.end;
            before.time = run.time;
            return;
        }
    }
    taken.emplace_hint(after, first, run);
}

bool Checker::may_repeat(const Taker& first, const Taker& second, std::uint64_t last_tick) const {
    if (first.process == second.process) return false;
    return ms_of(last_tick) <= std::max(families_[first.family].shared_until, families_[second.family].shared_until);
}

void Checker::check_fence(Time now, const Taker& taker, std::int64_t worker_id, const TickRun& run) {
    // A copy goes on by the fences of its original.
    if (families_[taker.family].copied) return;
    const std::int64_t last_ms = ms_of(run.first + run.count - 1);
    const std::int64_t fence = number(worker_id - space_.offset).fence[static_cast<std::size_t>(taker.instance)];
    if (last_ms <= fence) return;
    fail(now, Property::fenced,
         fmt::format("worker ID {}: i{} issued at {} ms, {} ms above its highest committed fence", worker_id,
                     taker.instance, last_ms, static_cast<std::uint64_t>(last_ms) - static_cast<std::uint64_t>(fence)));
}

void Checker::committed(Time now, int instance, std::int64_t index, const worker::LeaseRecord* before,
                        const worker::LeaseRecord& after) {
    auto& highest = number(index).fence[static_cast<std::size_t>(instance)];
    highest = std::max(highest, after.fence);
    if (before == nullptr || after.fence >= before->fence) return;
    const bool release = after.state == worker::LeaseState::released && before->owner == after.owner;
    if (release) return;
    fail(now, Property::monotone,
         fmt::format("number {}: i{} lowered the fence from {} to {}", index, instance, before->fence, after.fence));
}

}  // namespace frond::sim
