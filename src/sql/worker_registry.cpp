#include "sql/worker_registry.hpp"

#include "sql/worker_call.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

namespace frond::sql {

using worker::Created;
using worker::Found;
using worker::LeaseRecord;
using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;
using worker::Written;

namespace {

constexpr std::int64_t first_version = 1;

RegistryError cancelled_error() { return {RegistryFault::unavailable, "the call was cancelled"}; }

template <class T>
bool has_fault(const RegistryResult<T>& result, RegistryFault fault) {
    const auto* error = std::get_if<RegistryError>(&result);
    return error != nullptr && error->fault == fault;
}

}  // namespace

std::string SqlWorkerRegistry::describe() const { return describe_registry(*database_, options_.name); }

// A cancelled transaction is not committed.
template <class T, class Body>
RegistryResult<T> SqlWorkerRegistry::transact(Body body) {
    const auto guarded = [&](WorkerTable& table) -> RegistryResult<T> {
        if (cancelled_) return cancelled_error();
        RegistryResult<T> result = body(table);
        if (cancelled_) return cancelled_error();
        return result;
    };
    if (cancelled_) return cancelled_error();
    return call_table<T>(*database_, Scope::transaction, options_.name, guarded);
}

template <class T, class Body>
RegistryResult<T> SqlWorkerRegistry::look(Body body) {
    if (cancelled_) return cancelled_error();
    return call_table<T>(*database_, Scope::read, options_.name, std::move(body));
}

// An older state than one shown before: a node that lags, until it has lasted too long for that.
template <class T>
RegistryResult<T> SqlWorkerRegistry::patient(RegistryResult<T> result) {
    if (!has_fault(result, RegistryFault::went_backwards)) {
        if (std::holds_alternative<T>(result)) behind_since_.reset();
        return result;
    }
    const SteadyTime now = BootClock::now();
    if (!behind_since_) behind_since_ = now;
    if (now - *behind_since_ >= options_.lag_patience) return result;
    return RegistryError{RegistryFault::unavailable,
                         std::get<RegistryError>(result).detail + "; it may lag behind another node"};
}

RegistryResult<Survey> SqlWorkerRegistry::survey() {
    return patient(without_exceptions(RegistryFault::unavailable, [&] { return join(); }));
}

RegistryResult<Survey> SqlWorkerRegistry::join() {
    auto first = survey_once();
    if (!has_fault(first, RegistryFault::missing)) return first;
    if (auto older = seen_.nothing()) return RegistryError{RegistryFault::went_backwards, std::move(*older)};
    if (auto error = make_name()) return std::move(*error);
    auto second = survey_once();
    if (!has_fault(second, RegistryFault::missing)) return second;
    return RegistryError{RegistryFault::contradiction,
                         fmt::format("frond_worker takes another spelling for the name '{}'; use another "
                                     "snowflake.name",
                                     options_.name)};
}

// `missing` when the name was never made.
RegistryResult<Survey> SqlWorkerRegistry::survey_once() {
    return look<Survey>([&](WorkerTable& table) -> RegistryResult<Survey> {
        const auto clock = table.clock();
        const auto rows = table.all();
        if (find_name(rows) == nullptr) return RegistryError{RegistryFault::missing, {}};
        auto survey = survey_of(rows, options_.name, seen_);
        if (auto* made = std::get_if<Survey>(&survey)) made->clock = clock;
        return survey;
    });
}

// Somebody else may make the name at the same time: whose row it is does not matter. Nor does an unknown outcome, since
// the row is read next.
std::optional<RegistryError> SqlWorkerRegistry::make_name() {
    if (cancelled_) return cancelled_error();
    const std::string text = worker::format_name({options_.new_id(), options_.space, {}, INT64_MIN});
    CallTrouble trouble;
    auto made = call_table<bool>(
        *database_, Scope::transaction, options_.name,
        [&](WorkerTable& table) -> RegistryResult<bool> {
            table.insert(name_row, 0, text, {}, modified_now(table.clock()));
            return true;
        },
        trouble);
    if (std::holds_alternative<bool>(made) || trouble.fault == Fault::duplicate || trouble.maybe_done) {
        return std::nullopt;
    }
    return std::get<RegistryError>(std::move(made));
}

RegistryResult<Created> SqlWorkerRegistry::create(const LeaseRecord& record) {
    return patient(without_exceptions(RegistryFault::unknown, [&] {
        const std::string text = format_record(record);
        auto created = transact<Created>([&](WorkerTable& table) { return draw(table, record, text); });
        if (const auto* made = std::get_if<Created>(&created)) {
            seen_.handed_out(made->number + 1);
            seen_.wrote(made->number, made->version, text);
        }
        return created;
    }));
}

// The name's row, locked: whoever draws a number waits for the one before.
RegistryResult<NameRow> SqlWorkerRegistry::lock_name(WorkerTable& table) {
    const auto row = table.row(name_row, Lock::yes);
    if (row) return name_of(*row, options_.name, seen_);
    if (auto older = seen_.nothing()) return RegistryError{RegistryFault::went_backwards, std::move(*older)};
    return RegistryError{RegistryFault::unavailable, fmt::format("the name '{}' was never joined", options_.name)};
}

RegistryResult<Created> SqlWorkerRegistry::draw(WorkerTable& table, const LeaseRecord& record,
                                                const std::string& text) {
    const auto clock = table.clock();
    auto locked = lock_name(table);
    if (auto* error = std::get_if<RegistryError>(&locked)) return std::move(*error);
    const auto& [name, number, name_text] = std::get<NameRow>(locked);
    if (name.space != options_.space) {
        return RegistryError{
            RegistryFault::contradiction,
            fmt::format("the name '{}' was made with {}, this instance is configured with {}", options_.name,
                        worker::describe(name.space), worker::describe(options_.space))};
    }
    if (!options_.space.holds(number)) {
        return RegistryError{RegistryFault::full, fmt::format("all {} worker IDs of '{}' were handed out",
                                                              options_.space.limit, options_.name)};
    }
    const std::int64_t worker_id = options_.space.worker_id(number);
    if (table.row(worker_id, Lock::no)) {
        return RegistryError{RegistryFault::contradiction,
                             fmt::format("frond_worker counts {} worker IDs handed out for '{}', but has a row for "
                                         "worker_id {} already",
                                         number, options_.name, worker_id)};
    }
    // Where the table's engine has no locks, somebody may have been faster.
    const std::int64_t now = modified_now(clock);
    if (!table.replace(name_row, number, number + 1, name_text, now)) {
        return RegistryError{RegistryFault::unavailable, "the name's row changed while it was read"};
    }
    table.insert(worker_id, first_version, text, record.owner, now);
    return Created{number, first_version, clock};
}

RegistryResult<Written> SqlWorkerRegistry::write(std::int64_t number, std::int64_t version, const LeaseRecord& record) {
    return patient(without_exceptions(RegistryFault::unknown, [&] {
        const std::string text = format_record(record);
        auto written = transact<Written>([&](WorkerTable& table) { return replace(table, number, version, text); });
        if (const auto* done = std::get_if<Written>(&written)) seen_.wrote(number, done->version, text);
        return written;
    }));
}

RegistryResult<Written> SqlWorkerRegistry::replace(WorkerTable& table, std::int64_t number, std::int64_t version,
                                                   const std::string& text) {
    const auto clock = table.clock();
    const std::int64_t worker_id = options_.space.worker_id(number);
    const auto row = table.row(worker_id, Lock::yes);
    if (!row) {
        return RegistryError{RegistryFault::missing,
                             fmt::format("frond_worker has no worker_id {} of '{}'", worker_id, options_.name)};
    }
    auto view = view_of(*row, options_.name, options_.space.offset, seen_);
    if (auto* error = std::get_if<RegistryError>(&view)) return std::move(*error);
    const bool last = version == std::numeric_limits<std::int64_t>::max();
    if (last || row->version != version || !table.replace(worker_id, version, version + 1, text, modified_now(clock))) {
        return RegistryError{RegistryFault::conflict,
                             fmt::format("{} has version {}, not {}", std::get<worker::RecordView>(view).place,
                                         row->version.value_or(-1), version)};
    }
    return Written{version + 1, clock};
}

RegistryResult<Found> SqlWorkerRegistry::found(const std::optional<WorkerRow>& row) {
    if (!row) return Found();
    auto view = view_of(*row, options_.name, options_.space.offset, seen_);
    if (auto* error = std::get_if<RegistryError>(&view)) return std::move(*error);
    return Found(std::get<worker::RecordView>(std::move(view)));
}

RegistryResult<Found> SqlWorkerRegistry::read(std::int64_t number) {
    return patient(without_exceptions(RegistryFault::unavailable, [&] {
        return look<Found>(
            [&](WorkerTable& table) { return found(table.row(options_.space.worker_id(number), Lock::no)); });
    }));
}

RegistryResult<Found> SqlWorkerRegistry::find(const LeaseRecord& created) {
    auto result = without_exceptions(RegistryFault::unavailable, [&] {
        return transact<Found>([&](WorkerTable& table) { return find_made(table, created.owner); });
    });
    // A transaction that only reads leaves nothing open.
    if (auto* error = std::get_if<RegistryError>(&result); error != nullptr && error->fault == RegistryFault::unknown) {
        error->fault = RegistryFault::unavailable;
    }
    return patient(std::move(result));
}

// A create() whose outcome is unknown may still be under way on the server. It holds the name's row until it is
// committed or rolled back: having that row, one knows.
RegistryResult<Found> SqlWorkerRegistry::find_made(WorkerTable& table, const std::string& owner) {
    auto locked = lock_name(table);
    if (auto* error = std::get_if<RegistryError>(&locked)) return std::move(*error);
    return found(table.made_for(owner));
}

}  // namespace frond::sql
