#include "worker/lease_keeper.hpp"

#include "worker/watermark.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace frond::worker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_wait{1'000};
constexpr milliseconds state_file_patience{3'000};

}  // namespace

LeaseKeeper::LeaseKeeper(LeaseOptions options, WorkerRegistry& registry, StateFile* file, LeaseSlot& slot,
                         KeeperMetrics& metrics)
    : options_(std::move(options)), registry_(registry), file_(file), slot_(slot), metrics_(metrics) {
    options_.registry = registry_.describe();
    observe_interval_ = watermark_interval(options_.max_ahead.count());
}

LeaseKeeper::~LeaseKeeper() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    registry_.cancel();
    wake_.notify_all();
    if (file_lane_.joinable()) file_lane_.join();
    if (registry_lane_.joinable()) registry_lane_.join();
}

Result<void> LeaseKeeper::start(std::function<Moment()> now, std::function<void()> changed) {
    now_ = std::move(now);
    changed_ = std::move(changed);
    lanes_ = 2;
    file_lane_ = std::thread([this] { run_file_lane(); });
    registry_lane_ = std::thread([this] { run_registry_lane(); });
    return {};
}

StateAccess LeaseKeeper::read_state_file() {
    StateAccess access;
    if (file_ == nullptr) return access;
    if (auto locked = file_->lock(); !locked) {
        spdlog::warn("Snowflake mode: runs without a state file: {}", locked.error().detail);
        // What it forbids counts all the same.
        if (auto loaded = file_->load()) access.found = std::move(loaded->state);
        return access;
    }
    access.holder = file_->holder();
    auto loaded = file_->load();
    if (!loaded) {
        spdlog::warn("Snowflake mode: runs without a state file, as it cannot be read: {}", loaded.error().detail);
        return access;
    }
    if (!loaded->damage.empty()) {
        spdlog::warn("Snowflake mode: the state file is damaged and ignored ({}); the registry alone counts",
                     loaded->damage);
    }
    access.usable = true;
    access.found = std::move(loaded->state);
    return access;
}

void LeaseKeeper::run_file_lane() {
    ::pthread_setname_np(::pthread_self(), "frond-statefile");
    StateAccess access = read_state_file();
    Lock lock(mutex_);
    const bool in_time = !machine_;
    if (in_time) machine_.emplace(options_, std::move(access), slot_, metrics_);
    wake_.notify_all();
    while (in_time && !ending_) {
        const Moment moment = now_();
        auto state = machine_->next_store(moment);
        if (!state) {
            wait(lock, moment);
            continue;
        }
        lock.unlock();
        // It counts only within one boot of this machine, so that what the kernel has is enough.
        const Result<void> stored = file_->store(*state, Sync::no);
        lock.lock();
        machine_->store_done(now_(), stored);
        show();
    }
    end_lane();
}

void LeaseKeeper::run_registry_lane() {
    ::pthread_setname_np(::pthread_self(), "frond-registry");
    Lock lock(mutex_);
    if (!wake_.wait_for(lock, state_file_patience, [this] { return machine_.has_value() || ending_; })) {
        spdlog::error("Snowflake mode: runs without a state file, as the state directory does not answer");
        machine_.emplace(options_, StateAccess{}, slot_, metrics_);
    }
    while (!ending_) {
        const Moment moment = now_();
        auto call = machine_->next_call(moment);
        if (!call) {
            wait(lock, moment);
            continue;
        }
        lock.unlock();
        RegistryReply reply = perform(registry_, *call);
        lock.lock();
        machine_->call_done(now_(), std::move(reply));
        show();
    }
    end_lane();
}

void LeaseKeeper::wait(Lock& lock, const Moment& moment) {
    const auto due = machine_->wake_at() - moment.steady;
    wake_.wait_for(lock, std::clamp<std::chrono::nanoseconds>(due, milliseconds(1), longest_wait));
}

void LeaseKeeper::show() {
    issuing_.store(machine_->issuing(), std::memory_order_release);
    settled_.store(machine_->settled(), std::memory_order_release);
    wake_.notify_all();
    changed_();
}

void LeaseKeeper::end_lane() noexcept {
    --lanes_;
    wake_.notify_all();
}

milliseconds LeaseKeeper::step(const Moment& moment) {
    const std::lock_guard lock(mutex_);
    if (!machine_) return longest_wait;
    machine_->observe(moment);
    show();
    return observe_interval_;
}

std::optional<RegistryClock> LeaseKeeper::take_reference() {
    const std::lock_guard lock(mutex_);
    return machine_ ? machine_->take_reference() : std::nullopt;
}

bool LeaseKeeper::release(milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    Lock lock(mutex_);
    if (lanes_ > 0 && machine_) {
        machine_->begin_release(now_());
        show();
        if (!wake_.wait_until(lock, deadline, [this] { return machine_->released(); })) {
            spdlog::warn(
                "Snowflake mode: the worker ID could not be released in time; it is free once its fence has passed");
        }
    }
    ending_ = true;
    wake_.notify_all();
    registry_.cancel();
    constexpr milliseconds last_words{500};
    return wake_.wait_until(lock, deadline + last_words, [this] { return lanes_ == 0; });
}

}  // namespace frond::worker
