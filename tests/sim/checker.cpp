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

void Checker::issued(Time now, int instance, std::int64_t worker_id, const TickRun& run) {
    ids_ += run.count;
    add(now, instance, worker_id, run);
    check_fence(now, instance, worker_id, run);
}

void Checker::add(Time now, int instance, std::int64_t worker_id, const TickRun& run) {
    auto& taken = number(worker_id - space_.offset).taken;
    const std::uint64_t end = run.first + run.count;
    const auto after = taken.lower_bound(run.first);
    const auto before = after == taken.begin() ? taken.end() : std::prev(after);
    for (const auto& other : {after, before}) {
        if (other == taken.end() || other->first >= end || other->second.end <= run.first) continue;
        const std::uint64_t first = std::max(other->first, run.first);
        fail(now, Property::unique,
             fmt::format("worker ID {}: tick {} (ms {}) was issued by i{} at {} and again by i{}", worker_id, first,
                         space_.layout.epoch_ms() + static_cast<std::int64_t>(first >> space_.layout.sequence_bits()),
                         other->second.instance, other->second.time, instance));
        return;
    }
    // Runs of one taker grow together, so that the map stays small.
    if (before != taken.end() && before->second.end == run.first && before->second.instance == instance) {
        before->second.end = end;
        before->second.time = now;
    } else {
        taken.emplace_hint(after, run.first, Taken{end, instance, now});
    }
}

void Checker::check_fence(Time now, int instance, std::int64_t worker_id, const TickRun& run) {
    const std::uint64_t last = (run.first + run.count - 1) >> space_.layout.sequence_bits();
    const std::int64_t last_ms = space_.layout.epoch_ms() + static_cast<std::int64_t>(last);
    const std::int64_t fence = number(worker_id - space_.offset).fence[static_cast<std::size_t>(instance)];
    if (last_ms <= fence) return;
    fail(now, Property::fenced,
         fmt::format("worker ID {}: i{} issued at {} ms, {} ms above its highest committed fence", worker_id, instance,
                     last_ms, static_cast<std::uint64_t>(last_ms) - static_cast<std::uint64_t>(fence)));
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
