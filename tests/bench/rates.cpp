// Rates inside the process, for scripts/bench: how many a second of one thing, over so many seconds.
//
//   bench_rates generator SECONDS   IDs of the default layout, one thread, once the lead is used up
//   bench_rates wide SECONDS        IDs of the layout 41/0/22, one clock read each
//   bench_rates clock SECONDS       bare reads of the wall clock
//   bench_rates loop SECONDS N      turns of a plain loop on each of N threads together
//
// Prints `per_second=…`.
#include <frond/snowflake_generator.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now_ms() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

// Keeps a value that nobody uses from being optimised away.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "g"(value) : "memory");
}

// Calls `work`, which returns how much it did, for so many seconds; returns how much that is a second.
template <class Work>
double rate(double seconds, Work work) {
    constexpr int turns_between_looks = 1000;
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    std::uint64_t done = 0;
    while (Clock::now() < end) {
        for (int i = 0; i < turns_between_looks; ++i) done += work();
    }
    return static_cast<double>(done) / std::chrono::duration<double>(Clock::now() - begin).count();
}

std::uint64_t take_one(frond::SnowflakeGenerator& generator) {
    const auto run = generator.take(now_ms());
    if (!run) return 0;
    keep(generator.id(run.value().first));
    return 1;
}

double generator_rate(double seconds) {
    frond::SnowflakeGenerator generator({});
    while (generator.take(now_ms(), 1000)) {  // until the lead is used up
    }
    return rate(seconds, [&] { return take_one(generator); });
}

double wide_rate(double seconds) {
    frond::SnowflakeGenerator::Options options;
    options.layout = frond::SnowflakeLayout::make(frond::SnowflakeLayout::leaf_epoch_ms, 41, 0, 22).value();
    frond::SnowflakeGenerator generator(options);
    return rate(seconds, [&] { return take_one(generator); });
}

double clock_rate(double seconds) {
    return rate(seconds, [] {
        keep(now_ms());
        return std::uint64_t{1};
    });
}

double loop_rate(double seconds, int threads) {
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::vector<std::thread> workers;
    for (double& result : rates) {
        workers.emplace_back([&result, seconds] {
            std::uint64_t x = 1;
            result = rate(seconds, [&x] {
                x = x * 6364136223846793005 + 1442695040888963407;
                keep(x);
                return std::uint64_t{1};
            });
        });
    }
    for (std::thread& worker : workers) worker.join();
    double sum = 0;
    for (const double each : rates) sum += each;
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    const double seconds = argc > 2 ? std::atof(argv[2]) : 0;
    const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
    double result = 0;
    if (what == "generator" && seconds > 0) {
        result = generator_rate(seconds);
    } else if (what == "wide" && seconds > 0) {
        result = wide_rate(seconds);
    } else if (what == "clock" && seconds > 0) {
        result = clock_rate(seconds);
    } else if (what == "loop" && seconds > 0 && threads > 0) {
        result = loop_rate(seconds, threads);
    } else {
        std::fprintf(stderr, "usage: bench_rates generator|wide|clock|loop SECONDS [THREADS]\n");
        return 64;
    }
    std::printf("per_second=%.0f\n", result);
    return 0;
}
