// frond_simulate: runs the simulation of worker-ID leases, or replays one run of it.
#include "sim/run.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace frond::sim;

int replay(std::uint64_t seed, Mutation mutation) {
    spdlog::set_level(spdlog::level::debug);
    spdlog::set_pattern("         log    %l: %v");
    const Outcome outcome = run(seed, mutation, History::Text::printed);
    fmt::print("seed {}: history {:016x}, {}\n", seed, outcome.hash,
               outcome.violation ? fmt::format("violates \"{}\" at {} ms: {}", name_of(outcome.violation->property),
                                               outcome.violation->time, outcome.violation->text)
                                 : std::string("all properties hold"));
    return outcome.violation ? 1 : 0;
}

int simulate(const Batch& batch) {
    const auto start = std::chrono::steady_clock::now();
    const BatchOutcome outcome = run_batch(batch);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const Totals& totals = outcome.totals;
    fmt::print(
        "{} runs in {:.1f} s: {} lives, {} leases ({} taken over, {} resumed, {} begun offline), {} lost, {} released, "
        "{} copied, "
        "{} IDs, "
        "{} events, {} failed writes of state files\n",
        outcome.runs, taken.count(), totals.lives, totals.leases, totals.take_overs, totals.resumes, totals.offline,
        totals.lost, totals.releases, totals.copies, totals.ids, totals.events, totals.store_errors);
    if (!outcome.failed) return 0;
    fmt::print("{}", explain(*outcome.failed, batch.mutation));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Simulates instances that lease worker IDs in a world that misbehaves, and checks that no ID repeats.");
    Batch batch{1, 20'000, Mutation::none, std::max(std::thread::hardware_concurrency(), 1U)};
    std::uint64_t seed = 0;
    std::string mutation = "none";
    app.add_option("--seeds", batch.count, "how many runs")->capture_default_str();
    app.add_option("--first", batch.first, "the first seed")->capture_default_str();
    app.add_option("--threads", batch.threads, "threads")->capture_default_str();
    auto* one = app.add_option("--seed", seed, "replay this run and print its history");
    app.add_option("--mutation", mutation, "break the protocol in this way")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const auto found = find_mutation(mutation);
    if (!found) {
        fmt::print(stderr, "no such mutation: {}; there are:", mutation);
        for (const auto& known : mutations) fmt::print(stderr, " {}", known.name);
        fmt::print(stderr, "\n");
        return 64;
    }
    batch.mutation = *found;
    if (one->count() > 0) return replay(seed, batch.mutation);
    spdlog::set_level(spdlog::level::off);
    return simulate(batch);
}
