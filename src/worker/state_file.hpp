// Where an instance keeps its WorkerState between two lives.
#pragma once

#include "worker/state_directory.hpp"
#include "worker/worker_state.hpp"

#include <frond/result.hpp>

#include <optional>
#include <string>

namespace frond::worker {

// What load() found. At most one of the two is set; neither when there is no file.
struct LoadedState {
    std::optional<WorkerState> state;
    std::string damage;  // why a file that is there cannot be used
};

// Whether a stored state outlives a power failure: only `static` needs it, as others trust the state within one boot.
enum class Sync : bool { no, yes };

// All calls block; used by one thread at a time.
class StateFile {
public:
    virtual ~StateFile() = default;

    // Takes the lock that makes the state ours, unless it is ours already. Errors: invalid_configuration while another
    // process holds it, store_unavailable when it cannot be taken. Details name paths: for logs, not for clients.
    virtual Result<void> lock() = 0;

    // The present process, as it goes into WorkerState::holder; all empty without the lock.
    [[nodiscard]] virtual Holder holder() const = 0;

    // errc::store_unavailable when there may be a state that cannot be read now: it must not be taken for none.
    virtual Result<LoadedState> load() = 0;

    // Replaces the state as a whole; needs the lock. On errc::store_unavailable either the old or the new state is
    // there. The detail names no path.
    virtual Result<void> store(const WorkerState& state, Sync sync) = 0;
};

// `worker.json` in a state directory: written to a temporary file and renamed. The directory outlives it.
class JsonStateFile final : public StateFile {
public:
    static constexpr const char* file_name = "worker.json";

    explicit JsonStateFile(StateDirectory& directory) : directory_(directory) {}

    Result<void> lock() override;
    [[nodiscard]] Holder holder() const override { return directory_.holder(); }
    Result<LoadedState> load() override;
    Result<void> store(const WorkerState& state, Sync sync) override;

private:
    StateDirectory& directory_;
};

}  // namespace frond::worker
