// Who takes IDs from a process: many threads, some of which are put aside at the worst moment.
#include "sim/instance.hpp"
#include "sim/process.hpp"

#include <algorithm>

namespace frond::sim {

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

}  // namespace frond::sim
