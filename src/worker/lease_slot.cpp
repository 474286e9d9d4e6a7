#include "worker/lease_slot.hpp"

#include <utility>

namespace frond::worker {

void LeaseSlot::open(const SnowflakeGenerator::Options& options) {
    auto lease = std::make_unique<SnowflakeGenerator>(options);
    const std::lock_guard guard(mutex_);
    leases_.push_back(std::move(lease));
    trouble_.reset();
    current_.store(leases_.back().get(), std::memory_order_release);
}

void LeaseSlot::raise_limit(std::int64_t limit_ms) {
    if (SnowflakeGenerator* lease = current(); lease != nullptr) lease->raise_limit(limit_ms);
}

std::optional<std::int64_t> LeaseSlot::close(Error why) {
    const std::lock_guard guard(mutex_);
    trouble_ = std::move(why);
    SnowflakeGenerator* lease = current_.exchange(nullptr, std::memory_order_acq_rel);
    if (lease == nullptr) return std::nullopt;
    return lease->close();
}

void LeaseSlot::set_trouble(std::optional<Error> trouble) {
    const std::lock_guard guard(mutex_);
    trouble_ = std::move(trouble);
}

std::optional<Error> LeaseSlot::trouble() const {
    const std::lock_guard guard(mutex_);
    return trouble_;
}

}  // namespace frond::worker
