// The double buffer of one key: takes IDs out of ranges in memory without a lock.
#pragma once

#include "segment/range.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace frond::segment {

// What one take brought: up to three runs, in growing order, adjacent ones merged.
struct Taken {
    std::array<Run, 3> runs;
    unsigned size = 0;
    bool wants_refill = false;  // 10 % of the last range are used
};

// Three slots: the current range, the next one, and a third that is filled only when a take needs more than both.
//
// Every ID that the buffer ever holds has a position: 0, 1, 2, … without gaps, in the order of the ranges published.
// One atomic word, the position of the next ID, only grows; a take moves it from p to p + n. A slot is rewritten only
// when the position has passed its end, so a taker that read a slot while it was rewritten finds the position moved
// and its compare-exchange fails: no reclamation, no ABA, and one atomic step for n IDs over several ranges. The
// fields of a slot are stored with release and loaded with acquire for the sake of that argument: whoever reads a new
// value thereby also sees the position that allowed writing it.
//
// take() and position() from any thread; publish(), has_room() and close() from one thread at a time.
class SegmentBuffer {
public:
    static constexpr unsigned slots = 3;

    SegmentBuffer() = default;
    SegmentBuffer(const SegmentBuffer&) = delete;
    SegmentBuffer& operator=(const SegmentBuffer&) = delete;

    // Takes n >= 1 IDs. False, with nothing taken, when the ranges in memory hold fewer or after close().
    bool take(std::uint64_t n, Taken& out) noexcept;

    // How many IDs have been taken so far; grows with each take.
    [[nodiscard]] std::uint64_t position() const noexcept { return position_.load(std::memory_order_relaxed); }
    // How many IDs are in memory now; 0 after close().
    [[nodiscard]] std::uint64_t remaining() const noexcept;

    // Whether a range can be published: a slot is empty or used up.
    [[nodiscard]] bool has_room() const noexcept;
    // How many slots hold IDs that have not been taken.
    [[nodiscard]] unsigned occupied() const noexcept;

    // Appends a range; has_room() must be true, run is run_of(range).
    void publish(const Range& range, const Run& run) noexcept;

    // Excludes every later taker, also one that has already looked, and returns the parts of the ranges that were
    // not taken, the latest range first. Each begins just above the last ID taken from it.
    std::vector<Range> close();

private:
    static constexpr std::uint64_t closed = UINT64_MAX;

    struct Slot {
        std::atomic<std::uint64_t> start{0};  // position of its first ID
        std::atomic<std::uint64_t> end{0};    // position after its last ID
        std::atomic<std::int64_t> first{0};   // its first ID
        std::atomic<std::int64_t> delta{1};
    };

    [[nodiscard]] bool collect(std::uint64_t position, std::uint64_t n, Taken& out) const noexcept;
    [[nodiscard]] bool collect_one(std::uint64_t position, std::uint64_t n, Run& out) const noexcept;

    std::atomic<std::uint64_t> position_{0};
    std::atomic<std::uint64_t> refill_at_{0};  // from this position on, the next range is wanted
    std::atomic<std::uint64_t> end_{0};        // position after the last ID in memory
    std::array<Slot, slots> slots_;
    std::array<Range, slots> ranges_;  // as the store gave them; of the publishing thread alone
};

}  // namespace frond::segment
