// Micro benchmarks of the Snowflake generator: what one take costs, alone and with threads beside it.
#include <frond/snowflake_generator.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>

namespace {

using frond::SnowflakeGenerator;
using frond::SnowflakeLayout;

// So many sequence bits that no benchmark ever fills a millisecond: what is measured is the take, not the waiting.
SnowflakeGenerator::Options roomy(std::int64_t worker_id) {
    SnowflakeGenerator::Options options;
    options.layout = SnowflakeLayout::make(SnowflakeLayout::leaf_epoch_ms, 41, 1, 21).value();
    options.worker_id = worker_id;
    options.max_ahead_ms = 3'600'000;
    return options;
}

std::int64_t now_ms() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

void take_at_a_given_time(benchmark::State& state) {
    SnowflakeGenerator generator(roomy(0));
    const auto count = static_cast<std::uint64_t>(state.range(0));
    std::int64_t now = now_ms();
    for (auto _ : state) {
        auto run = generator.take(now, count);
        if (!run) now = generator.last_timestamp_ms();
        benchmark::DoNotOptimize(run);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(take_at_a_given_time)->Arg(1)->Arg(1000);

void take_and_read_the_clock(benchmark::State& state) {
    SnowflakeGenerator generator(roomy(0));
    for (auto _ : state) benchmark::DoNotOptimize(generator.take(now_ms()));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(take_and_read_the_clock);

void take_on_several_threads(benchmark::State& state) {
    static SnowflakeGenerator generator(roomy(1));  // stays while others come and go
    for (auto _ : state) benchmark::DoNotOptimize(generator.take(now_ms()));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(take_on_several_threads)->Threads(1)->Threads(2)->UseRealTime();

void read_the_clock(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(now_ms());
}
BENCHMARK(read_the_clock);

}  // namespace

BENCHMARK_MAIN();
