#include "sim/run.hpp"

#include "sim/faults.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace frond::sim {
namespace {

constexpr std::size_t lines_shown = 60;
constexpr std::uint64_t rest_every = 8;  // runs

class Simulation {
public:
    Simulation(std::uint64_t seed, Mutation mutation, History::Text text)
        : world_(seed, mutation, text), faults_(world_, instances_) {
        for (int i = 0; i < world_.scenario.instances; ++i) {
            instances_.push_back(std::make_unique<Instance>(world_, i));
        }
    }

    Outcome run(std::uint64_t seed) {
        faults_.begin();
        if (run_until(world_.scenario.fault_phase, false)) {
            heal();
            if (run_until(deadline(), true)) check_issue_since(healed_at_);
            if (seed % rest_every == 0 && !world_.checker.violation()) rest();
        }
        return outcome(seed);
    }

private:
    // False when a property was violated; with `or_all_issue`, ends as soon as all have issued since the healing.
    bool run_until(Time end, bool or_all_issue) {
        while (!world_.checker.violation()) {
            if (or_all_issue && all_issued()) return true;
            if (!world_.queue.run_one(end)) return true;
        }
        return false;
    }

    void heal() {
        world_.healed = true;
        healed_at_ = world_.now();
        world_.history.note(healed_at_, History::world, "is healed");
        world_.registry.down_until = 0;
        world_.registry.clock_offset_ms = 0;
        world_.registry.fresh = true;
        for (auto& instance : instances_) instance->heal();
    }

    // Until a fence that was just committed is past, late writes have landed, and the longest back-off is over.
    [[nodiscard]] Time deadline() const {
        const Scenario& s = world_.scenario;
        constexpr Time back_off = 12'000;
        return healed_at_ + s.fence_window + 2 * s.max_clock_skew + 2 * s.max_ahead + s.latest_zombie +
               3 * s.call_timeout + back_off;
    }

    [[nodiscard]] bool all_issued() const {
        return std::all_of(instances_.begin(), instances_.end(),
                           [&](const auto& instance) { return instance->last_issue() > healed_at_; });
    }

    // In a healed world IDs go on, past the fences of the time before. Who shared a memory may have to find a new
    // number.
    void rest() {
        const Scenario& s = world_.scenario;
        if (world_.totals.copies > 0) return;
        const Time end = world_.now() + 2 * s.fence_window + s.max_clock_skew;
        if (run_until(end, false)) check_issue_since(end - 2 * s.max_ahead - 1'000);
    }

    void check_issue_since(Time begin) {
        constexpr Time long_free = 12'000;
        if (!world_.registry.has_free_number(world_.now(), long_free)) return;
        for (const auto& instance : instances_) {
            if (instance->last_issue() > begin) continue;
            world_.checker.fail(world_.now(), Property::alive,
                                fmt::format("i{} has not issued since {}, and the world was healed at {}: {}",
                                            instance->index(), begin, healed_at_, instance->process()->trouble()));
        }
    }

    Outcome outcome(std::uint64_t seed) {
        for (auto& instance : instances_) {
            if (instance->process() != nullptr) instance->process()->die();
        }
        world_.totals.take_overs = world_.registry.take_overs();
        world_.totals.resumes = world_.registry.resumes();
        world_.totals.ids = world_.checker.ids();
        world_.totals.events = world_.queue.added();
        return {seed, world_.checker.violation(), world_.history.hash(), world_.totals, world_.history.lines()};
    }

    World world_;
    Instances instances_;
    Faults faults_;
    Time healed_at_ = 0;
};

}  // namespace

Outcome run(std::uint64_t seed, Mutation mutation, History::Text text) {
    return Simulation(seed, mutation, text).run(seed);
}

BatchOutcome run_batch(const Batch& batch) {
    BatchOutcome result;
    std::mutex mutex;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    const auto work = [&] {
        BatchOutcome own;
        while (!stop.load(std::memory_order_relaxed)) {
            const std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
            if (index >= batch.count) break;
            Outcome outcome = run(batch.first + index, batch.mutation);
            ++own.runs;
            own.totals += outcome.totals;
            if (!outcome.violation) continue;
            stop.store(true, std::memory_order_relaxed);
            own.failed = std::move(outcome);
        }
        const std::lock_guard lock(mutex);
        result.runs += own.runs;
        result.totals += own.totals;
        if (own.failed && (!result.failed || own.failed->seed < result.failed->seed)) result.failed = own.failed;
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(batch.threads, 1U); ++i) threads.emplace_back(work);
    for (auto& thread : threads) thread.join();
    return result;
}

std::string explain(const Outcome& failed, Mutation mutation) {
    const Outcome again = run(failed.seed, mutation, History::Text::kept);
    std::string text = fmt::format("seed {} violates \"{}\" at {} ms: {}\n", failed.seed,
                                   name_of(failed.violation->property), failed.violation->time, failed.violation->text);
    text += fmt::format("replay: scripts/simulate --seed {}", failed.seed);
    if (mutation != Mutation::none) text += fmt::format(" --mutation {}", name_of(mutation));
    text += "\nlast events:\n";
    const std::size_t skipped = again.history.size() - std::min(again.history.size(), lines_shown);
    for (std::size_t i = skipped; i < again.history.size(); ++i) text += again.history[i] + '\n';
    return text;
}

}  // namespace frond::sim
