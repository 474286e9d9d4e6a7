// One run of the simulation: one seed, one outcome, always the same.
#pragma once

#include "sim/checker.hpp"
#include "sim/mutation.hpp"
#include "sim/world.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace frond::sim {

struct Outcome {
    std::uint64_t seed = 0;
    std::optional<Violation> violation;
    std::uint64_t hash = 0;  // of the whole history
    Totals totals;
    std::vector<std::string> history;  // only if it was asked for
};

// Any thread; runs share nothing.
[[nodiscard]] Outcome run(std::uint64_t seed, Mutation mutation = Mutation::none,
                          History::Text text = History::Text::none);

struct Batch {
    std::uint64_t first = 1;
    std::uint64_t count = 0;
    Mutation mutation = Mutation::none;
    unsigned threads = 1;
};

struct BatchOutcome {
    std::uint64_t runs = 0;
    std::optional<Outcome> failed;  // that of the lowest failing seed that was run
    Totals totals;
};

// Runs seeds first, first + 1, … until one fails.
[[nodiscard]] BatchOutcome run_batch(const Batch& batch);

// A failing run for people: seed, property, how to replay it, and its last events. Runs the seed again.
[[nodiscard]] std::string explain(const Outcome& failed, Mutation mutation);

}  // namespace frond::sim
