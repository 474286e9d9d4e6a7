#include "sql/session_pool.hpp"

#include <utility>

namespace frond::sql {
namespace {

// A session idle for longer is asked whether it still works before it is used: a round trip that busy ones save.
constexpr std::chrono::seconds idle_before_check{10};

}  // namespace

SessionPool::Lease::~Lease() {
    if (pool_ != nullptr) pool_->give_back(std::move(slot_));
}

soci::session& SessionPool::Lease::session() {
    if (slot_.session) {
        reused_ = true;
        const bool long_idle = std::chrono::steady_clock::now() - slot_.idle_since > idle_before_check;
        const Dialect& dialect = pool_->dialect_;
        if (dialect.astray(*slot_.session) || (long_idle && !dialect.alive(*slot_.session))) drop();
    }
    if (!slot_.session) {
        slot_.session = pool_->dialect_.open();
        slot_.idle_since = std::chrono::steady_clock::now();
    }
    return *slot_.session;
}

void SessionPool::Lease::drop() noexcept {
    slot_.session.reset();
    reused_ = false;
}

SessionPool::SessionPool(const Dialect& dialect, std::size_t size) : dialect_(dialect), free_(size) {}

std::optional<SessionPool::Lease> SessionPool::lease(PoolTime deadline) {
    std::unique_lock lock(mutex_);
    if (!given_back_.wait_until(lock, deadline, [this] { return !free_.empty(); })) return std::nullopt;
    Slot slot = std::move(free_.back());
    free_.pop_back();
    return std::optional<Lease>(std::in_place, *this, std::move(slot));
}

void SessionPool::give_back(Slot slot) noexcept {
    slot.idle_since = std::chrono::steady_clock::now();
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(slot));
    }
    given_back_.notify_one();
}

}  // namespace frond::sql
