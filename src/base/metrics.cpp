#include "base/metrics.hpp"

namespace frond {

std::size_t thread_ordinal() noexcept {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
    return mine;
}

void Counter::add(std::uint64_t n) noexcept {
    const std::size_t ordinal = thread_ordinal();
    if (ordinal < cells - 1) {
        auto& cell = cells_[ordinal].value;
        cell.store(cell.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    } else {
        cells_[cells - 1].value.fetch_add(n, std::memory_order_relaxed);
    }
}

std::uint64_t Counter::value() const noexcept {
    std::uint64_t sum = 0;
    for (const Cell& cell : cells_) sum += cell.value.load(std::memory_order_relaxed);
    return sum;
}

}  // namespace frond
