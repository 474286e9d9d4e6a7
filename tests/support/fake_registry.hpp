// A registry of leases in memory, for tests: one store, and any number of handles on it, each as an instance would
// have. It can do to them what real registries do.
#pragma once

#include "worker/registry.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace frond::test {

// Thread-safe.
class FakeStore {
public:
    struct Row {
        std::int64_t version = 0;
        std::int64_t modified_ms = 0;
        std::string text;   // as format_record() gives it, or anything else
        std::string maker;  // the owner it was made for; empty: not made by Frond
    };
    struct Name {
        worker::NameRecord record;
        std::int64_t next = 0;
        std::map<std::int64_t, Row> rows;
    };
    // All that the store keeps, save who is present.
    using State = std::map<std::string, Name>;

    // Lower numbers are never given out. Before the first survey.
    void set_first_number(std::int64_t number);
    // The registry's clock is this much ahead of the local one; nothing: it has no clock.
    void set_clock(std::optional<std::chrono::milliseconds> ahead);

    // Whether calls get through; else they end with `unavailable`.
    void set_available(bool available);
    // The next create() comes after others took the last numbers of its space: its record gets the number at the limit,
    // and it is reported as `unknown`.
    void overrun_next_create();
    // The next `count` changes (create, write, raise_floor) are done, and reported as `unknown`.
    void lose_replies(int count);
    // The next `count` changes are not done but put aside, and reported as `unknown`.
    void delay_changes(int count);
    // Does what was put aside, in its order, each as if it arrived now. How many of them changed something.
    int land();
    // Forgets what was put aside.
    void drop();

    [[nodiscard]] State snapshot() const;
    // Loses all that was written since.
    void restore(State state);

    // Puts a row under the next number, as another program would.
    void put_foreign(const std::string& name, std::string text, std::string maker);
    void remove(const std::string& name, std::int64_t number);

private:
    friend class FakeRegistry;
    friend class FakeAdmin;
    template <class T>
    using Change = std::function<worker::RegistryResult<T>()>;

    // Carries out a change as the hooks say. With the mutex.
    template <class T>
    worker::RegistryResult<T> carry_out(Change<T> change);
    [[nodiscard]] std::optional<worker::RegistryClock> clock() const;
    [[nodiscard]] std::int64_t now_ms() const;
    [[nodiscard]] worker::RecordView view(const std::string& name, std::int64_t number, const Row& row) const;
    [[nodiscard]] worker::Survey survey(const std::string& name) const;
    worker::RegistryResult<worker::Created> create(const std::string& name, const worker::LeaseSpace& space,
                                                   const worker::LeaseRecord& record);
    worker::RegistryResult<worker::Written> write(const std::string& name, std::int64_t number, std::int64_t version,
                                                  const worker::LeaseRecord& record);
    void overrun(Name& name, const worker::LeaseSpace& space, const worker::LeaseRecord& record);

    mutable std::mutex mutex_;
    State state_;
    std::multiset<std::string> present_;
    std::int64_t first_number_ = 0;
    std::optional<std::chrono::milliseconds> ahead_ = std::chrono::milliseconds(0);
    bool available_ = true;
    bool overrun_ = false;
    int replies_to_lose_ = 0;
    int changes_to_delay_ = 0;
    std::vector<std::function<bool()>> late_;
};

class FakeRegistry final : public worker::WorkerRegistry {
public:
    FakeRegistry(std::shared_ptr<FakeStore> store, std::string name, worker::LeaseSpace space, std::string identity);
    ~FakeRegistry() override;

    [[nodiscard]] std::string describe() const override;
    worker::RegistryResult<worker::Survey> survey() override;
    worker::RegistryResult<worker::Created> create(const worker::LeaseRecord& record) override;
    worker::RegistryResult<worker::Written> write(std::int64_t number, std::int64_t version,
                                                  const worker::LeaseRecord& record) override;
    worker::RegistryResult<worker::Found> read(std::int64_t number) override;
    worker::RegistryResult<worker::Found> find(const worker::LeaseRecord& created) override;
    void cancel() noexcept override { cancelled_ = true; }

private:
    // Why a call does not get through. With the store's mutex.
    [[nodiscard]] std::optional<worker::RegistryError> refusal() const;
    // Whether the name shows less than before; else remembers it. With the store's mutex.
    [[nodiscard]] std::optional<worker::RegistryError> older();
    worker::RegistryResult<worker::Found> pick(const std::function<bool(std::int64_t, const FakeStore::Row&)>& wanted);

    const std::shared_ptr<FakeStore> store_;
    const std::string name_;
    const worker::LeaseSpace space_;
    const std::string identity_;
    std::atomic<bool> cancelled_ = false;
    bool present_ = false;
    std::optional<FakeStore::Name> seen_;
};

class FakeAdmin final : public worker::WorkerAdmin {
public:
    FakeAdmin(std::shared_ptr<FakeStore> store, std::string name) : store_(std::move(store)), name_(std::move(name)) {}

    [[nodiscard]] std::string describe() const override { return "fake:" + name_; }
    worker::RegistryResult<worker::Survey> look() override;
    worker::RegistryResult<std::int64_t> raise_floor(std::int64_t floor_ms) override;

private:
    [[nodiscard]] std::optional<worker::RegistryError> refusal() const;

    const std::shared_ptr<FakeStore> store_;
    const std::string name_;
};

}  // namespace frond::test
