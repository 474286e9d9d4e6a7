// Micro benchmarks of the double buffer of segment mode: what one take costs while ranges are there.
#include "segment/buffer.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <mutex>

namespace {

using frond::segment::Range;
using frond::segment::run_of;
using frond::segment::SegmentBuffer;
using frond::segment::Taken;

constexpr std::int64_t range_width = 100'000'000;

// A buffer that is filled again by whoever finds it empty, as the one publisher at a time.
class FilledBuffer {
public:
    void take(std::uint64_t n, Taken& out) {
        while (!buffer_.take(n, out)) refill();
    }

private:
    void refill() {
        const std::lock_guard lock(mutex_);
        if (!buffer_.has_room()) return;
        const Range range{next_, next_ + range_width, 1, 0};
        next_ += range_width;
        buffer_.publish(range, run_of(range, "bench").value());
    }

    SegmentBuffer buffer_;
    std::mutex mutex_;
    std::int64_t next_ = 1;
};

void take(benchmark::State& state) {
    FilledBuffer buffer;
    Taken taken;
    for (auto _ : state) {
        buffer.take(static_cast<std::uint64_t>(state.range(0)), taken);
        benchmark::DoNotOptimize(taken);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(take)->Arg(1)->Arg(1000);

void take_on_several_threads(benchmark::State& state) {
    static FilledBuffer buffer;
    Taken taken;
    for (auto _ : state) {
        buffer.take(1, taken);
        benchmark::DoNotOptimize(taken);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(take_on_several_threads)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
