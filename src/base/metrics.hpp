// Counters that cost the hot path one plain add: each thread has its own cell, the cells are summed when scraped.
// No library; src/api/metrics.cpp turns them into text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace frond {

// A small number, the same for the life of the calling thread: 0, 1, 2, … in order of first use.
[[nodiscard]] std::size_t thread_ordinal() noexcept;

// A counter that only grows. add() from any thread; value() is exact once the adders have been joined, else recent.
class Counter {
public:
    Counter() = default;
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    void add(std::uint64_t n = 1) noexcept;
    [[nodiscard]] std::uint64_t value() const noexcept;

private:
    // Threads past the last cell share it; they pay for a locked add.
    static constexpr std::size_t cells = 16;
    struct alignas(64) Cell {
        std::atomic<std::uint64_t> value{0};
    };
    std::array<Cell, cells> cells_;
};

// A value that goes up and down. Thread-safe.
class Gauge {
public:
    void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void add(std::int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> value_{0};
};

}  // namespace frond
