#include "segment/buffer.hpp"

#include <algorithm>
#include <utility>

namespace frond::segment {
namespace {

// The ID `offset` steps after `first`, modulo 2^64: a slot read while it is rewritten may give any numbers.
std::int64_t id_at(std::int64_t first, std::uint64_t offset, std::int64_t delta) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + offset * static_cast<std::uint64_t>(delta));
}

// Adds a run to what was taken, as part of the last one where it goes straight on.
void append(Taken& out, const Run& run) noexcept {
    if (out.size > 0) {
        Run& last = out.runs[out.size - 1];
        if (last.delta == run.delta &&
            id_at(last.first, static_cast<std::uint64_t>(last.count), last.delta) == run.first) {
            last.count += run.count;
            return;
        }
    }
    out.runs[out.size++] = run;
}

}  // namespace

bool SegmentBuffer::collect_one(std::uint64_t position, std::uint64_t n, Run& out) const noexcept {
    for (const Slot& slot : slots_) {
        // `end` is stored last, so a new end brings the other new fields with it.
        const std::uint64_t end = slot.end.load(std::memory_order_acquire);
        const std::uint64_t start = slot.start.load(std::memory_order_acquire);
        if (position < start || position >= end) continue;
        const std::int64_t delta = slot.delta.load(std::memory_order_acquire);
        out.delta = delta;
        out.count = static_cast<std::int64_t>(std::min(n, end - position));
        out.first = id_at(slot.first.load(std::memory_order_acquire), position - start, delta);
        return true;
    }
    return false;
}

bool SegmentBuffer::collect(std::uint64_t position, std::uint64_t n, Taken& out) const noexcept {
    out.size = 0;
    for (unsigned piece = 0; piece < slots; ++piece) {
        Run run;
        if (!collect_one(position, n, run)) return false;
        append(out, run);
        const auto got = static_cast<std::uint64_t>(run.count);
        position += got;
        n -= got;
        if (n == 0) return true;
    }
    return false;
}

bool SegmentBuffer::take(std::uint64_t n, Taken& out) noexcept {
    std::uint64_t seen = position_.load(std::memory_order_acquire);
    for (;;) {
        if (!collect(seen, n, out)) {
            // What looked like too little may have been a slot in the middle of being rewritten.
            const std::uint64_t now = position_.load(std::memory_order_acquire);
            if (now == seen) return false;
            seen = now;
            continue;
        }
        if (position_.compare_exchange_weak(seen, seen + n, std::memory_order_acq_rel, std::memory_order_acquire)) {
            out.wants_refill = seen + n >= refill_at_.load(std::memory_order_relaxed);
            return true;
        }
    }
}

std::uint64_t SegmentBuffer::remaining() const noexcept {
    const std::uint64_t end = end_.load(std::memory_order_acquire);
    const std::uint64_t position = position_.load(std::memory_order_acquire);
    return position < end ? end - position : 0;
}

bool SegmentBuffer::has_room() const noexcept { return occupied() < slots; }

unsigned SegmentBuffer::occupied() const noexcept {
    const std::uint64_t position = position_.load(std::memory_order_acquire);
    return static_cast<unsigned>(std::count_if(slots_.begin(), slots_.end(), [position](const Slot& slot) {
        return slot.end.load(std::memory_order_relaxed) > position;
    }));
}

void SegmentBuffer::publish(const Range& range, const Run& run) noexcept {
    const std::uint64_t position = position_.load(std::memory_order_acquire);
    const auto free = std::find_if(slots_.begin(), slots_.end(), [position](const Slot& slot) {
        return slot.end.load(std::memory_order_relaxed) <= position;
    });
    if (free == slots_.end() || position == closed) return;

    const std::uint64_t start = end_.load(std::memory_order_relaxed);
    const auto count = static_cast<std::uint64_t>(run.count);
    ranges_[static_cast<std::size_t>(free - slots_.begin())] = range;
    free->start.store(start, std::memory_order_release);
    free->first.store(run.first, std::memory_order_release);
    free->delta.store(run.delta, std::memory_order_release);
    refill_at_.store(start + std::max<std::uint64_t>(count / 10, 1), std::memory_order_relaxed);
    free->end.store(start + count, std::memory_order_release);
    end_.store(start + count, std::memory_order_release);
}

std::vector<Range> SegmentBuffer::close() {
    const std::uint64_t position = position_.exchange(closed, std::memory_order_acq_rel);
    std::vector<std::pair<std::uint64_t, Range>> tails;  // with the position at which the range ends
    for (std::size_t i = 0; i < slots; ++i) {
        const std::uint64_t start = slots_[i].start.load(std::memory_order_relaxed);
        const std::uint64_t end = slots_[i].end.load(std::memory_order_relaxed);
        if (end <= position) continue;
        Range tail = ranges_[i];
        if (position > start) {
            const auto taken = static_cast<std::int64_t>(position - start);
            tail.first = slots_[i].first.load(std::memory_order_relaxed) + (taken - 1) * tail.delta + 1;
        }
        tails.emplace_back(end, tail);
    }
    std::sort(tails.begin(), tails.end(), [](const auto& a, const auto& b) { return a.first > b.first; });

    std::vector<Range> latest_first;
    latest_first.reserve(tails.size());
    for (const auto& [end, tail] : tails) latest_first.push_back(tail);
    return latest_first;
}

}  // namespace frond::segment
