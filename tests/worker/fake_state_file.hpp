// A state file in memory whose disk can lose unsynced writes, fail, and be locked by somebody else.
#pragma once

#include "worker/state_file.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace frond::test {

// Outlives the process that a test models: crash() is what happens to the disk when that process or machine dies.
// Thread-safe.
class FakeStateFile final : public worker::StateFile {
public:
    Result<void> lock() override {
        if (during_lock) during_lock();
        const std::lock_guard guard(mutex_);
        if (locked_elsewhere_) return Error(errc::invalid_configuration, "another process holds /fake/worker.lock");
        if (!lock_error_.empty()) return Error(errc::store_unavailable, lock_error_);
        return {};
    }

    [[nodiscard]] worker::Holder holder() const override { return {"boot", 1, 2, 3, true}; }

    Result<worker::LoadedState> load() override {
        const std::lock_guard guard(mutex_);
        if (!load_error_.empty()) return Error(errc::store_unavailable, load_error_);
        worker::LoadedState loaded;
        loaded.damage = damage_;
        if (damage_.empty()) loaded.state = seen_;
        return loaded;
    }

    Result<void> store(const worker::WorkerState& state, worker::Sync sync) override {
        if (during_store) during_store();
        const std::lock_guard guard(mutex_);
        if (!store_error_.empty()) return Error(errc::store_unavailable, store_error_);
        seen_ = state;
        damage_.clear();
        if (sync == worker::Sync::yes) durable_ = state;
        ++stores_;
        return {};
    }

    // The machine loses power: what was not synced is gone.
    void crash() {
        const std::lock_guard guard(mutex_);
        seen_ = durable_;
    }

    void set_locked_elsewhere(bool locked) { set(locked_elsewhere_, locked); }
    void set_lock_error(const std::string& text) { set(lock_error_, text); }
    void set_load_error(const std::string& text) { set(load_error_, text); }
    void set_store_error(const std::string& text) { set(store_error_, text); }
    void set_damage(const std::string& text) { set(damage_, text); }
    void set_state(const worker::WorkerState& state) { set(seen_, std::optional(state)); }

    [[nodiscard]] std::optional<worker::WorkerState> state() const {
        const std::lock_guard guard(mutex_);
        return seen_;
    }
    [[nodiscard]] int stores() const {
        const std::lock_guard guard(mutex_);
        return stores_;
    }

    // To be set before the file is used.
    std::function<void()> during_lock;
    std::function<void()> during_store;

private:
    template <class T>
    void set(T& member, const T& value) {
        const std::lock_guard guard(mutex_);
        member = value;
    }

    mutable std::mutex mutex_;
    std::optional<worker::WorkerState> seen_;
    std::optional<worker::WorkerState> durable_;
    std::string damage_;
    std::string lock_error_;
    std::string load_error_;
    std::string store_error_;
    bool locked_elsewhere_ = false;
    int stores_ = 0;
};

}  // namespace frond::test
