#include "segment/store_health.hpp"

#include <algorithm>

namespace frond::segment {

std::chrono::nanoseconds Backoff::next() {
    std::uniform_int_distribution<std::int64_t> cut(delay_.count() / 2, delay_.count());
    const std::chrono::nanoseconds delay(cut(random_));
    delay_ = std::min(delay_ * 2, last);
    return delay;
}

StoreHealth::Turn StoreHealth::ask(SteadyTime now) {
    if (!since_) return Turn::call;
    if (probing_ || now < next_probe_) return Turn::wait;
    probing_ = true;
    return Turn::probe;
}

void StoreHealth::release(Turn turn) noexcept {
    if (turn == Turn::probe) probing_ = false;
}

bool StoreHealth::failed(Turn turn, SteadyTime now) {
    ++failures_;
    const bool begins = !since_;
    if (begins || turn == Turn::probe) next_probe_ = now + backoff_.next();
    if (begins) since_ = now;
    release(turn);
    return begins;
}

std::optional<StoreHealth::Outage> StoreHealth::succeeded(SteadyTime now) {
    probing_ = false;
    backoff_.reset();
    if (!since_) return std::nullopt;
    const Outage outage{.lasted = now - *since_, .failures = failures_};
    since_.reset();
    failures_ = 0;
    return outage;
}

std::optional<SteadyTime> StoreHealth::next_probe() const noexcept {
    if (!since_ || probing_) return std::nullopt;
    return next_probe_;
}

}  // namespace frond::segment
