// Leases of worker IDs from the table frond_worker: a row for each record, compare-and-set by its version, and one row
// of the name itself, whose version counts the numbers handed out and is never lowered.
#pragma once

#include "base/clock.hpp"
#include "sql/database.hpp"
#include "sql/worker_seen.hpp"
#include "sql/worker_survey.hpp"
#include "sql/worker_table.hpp"
#include "worker/registry.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace frond::sql {

struct WorkerRegistryOptions {
    std::string name;  // snowflake.name, 1 to 128 characters, compared byte for byte
    worker::LeaseSpace space;
    std::function<std::string()> new_id;  // the ID of a name that is made; random_id() in the server
    // A node of a cluster may lag behind another that was read before: an older state counts as lost writes only when
    // it has been shown for so long, and as `unavailable` until then.
    std::chrono::milliseconds lag_patience{10'000};
};

// Every change is one transaction: a connection lost before COMMIT was sent changed nothing (`unavailable`), one lost
// at COMMIT has an unknown outcome. Reads are those of a new snapshot; find() also waits for the transactions that are
// still under way. With MySQL the clock is the server's, with SQLite there is none and `modified` is the local wall
// clock. Who is present is not known. A call blocks as Database does; cancel() refuses later calls, and the present one
// ends at its next step or at the database's time-outs.
class SqlWorkerRegistry final : public worker::WorkerRegistry {
public:
    SqlWorkerRegistry(std::shared_ptr<Database> database, WorkerRegistryOptions options)
        : database_(std::move(database)), options_(std::move(options)) {}

    [[nodiscard]] std::string describe() const override;
    // `unavailable` may leave a new row of the name behind, which nothing depends on.
    worker::RegistryResult<worker::Survey> survey() override;
    worker::RegistryResult<worker::Created> create(const worker::LeaseRecord& record) override;
    worker::RegistryResult<worker::Written> write(std::int64_t number, std::int64_t version,
                                                  const worker::LeaseRecord& record) override;
    worker::RegistryResult<worker::Found> read(std::int64_t number) override;
    worker::RegistryResult<worker::Found> find(const worker::LeaseRecord& created) override;
    void cancel() noexcept override { cancelled_ = true; }

private:
    // Run call_table() unless cancelled.
    template <class T, class Body>
    worker::RegistryResult<T> transact(Body body);
    template <class T, class Body>
    worker::RegistryResult<T> look(Body body);

    template <class T>
    worker::RegistryResult<T> patient(worker::RegistryResult<T> result);
    worker::RegistryResult<worker::Survey> join();
    worker::RegistryResult<worker::Survey> survey_once();
    std::optional<worker::RegistryError> make_name();
    worker::RegistryResult<NameRow> lock_name(WorkerTable& table);
    worker::RegistryResult<worker::Created> draw(WorkerTable& table, const worker::LeaseRecord& record,
                                                 const std::string& text);
    worker::RegistryResult<worker::Written> replace(WorkerTable& table, std::int64_t number, std::int64_t version,
                                                    const std::string& text);
    worker::RegistryResult<worker::Found> find_made(WorkerTable& table, const std::string& owner);
    worker::RegistryResult<worker::Found> found(const std::optional<WorkerRow>& row);

    const std::shared_ptr<Database> database_;
    const WorkerRegistryOptions options_;
    std::atomic<bool> cancelled_ = false;
    WorkerSeen seen_;
    std::optional<SteadyTime> behind_since_;  // since when an older state is shown
};

}  // namespace frond::sql
