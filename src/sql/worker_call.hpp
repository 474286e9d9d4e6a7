// Calls of the database on behalf of leases: what a failure means there. Thread-safe.
#pragma once

#include "sql/database.hpp"
#include "sql/worker_table.hpp"
#include "worker/registry.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace frond::sql {

// Sentences that an HTTP client may read too: no address, nothing of the driver's text, which the log has.
[[nodiscard]] inline worker::RegistryError registry_error(const CallTrouble& trouble, const std::string& database) {
    using worker::RegistryFault;
    if (trouble.maybe_done) {
        return {RegistryFault::unknown,
                fmt::format("database {}: no answer to COMMIT; it may have been done", database)};
    }
    const auto unavailable = [&](std::string_view what) {
        return worker::RegistryError{RegistryFault::unavailable, fmt::format("database {}: {}", database, what)};
    };
    switch (trouble.fault.value_or(Fault::other)) {
        case Fault::lost:
            return unavailable("it could not be reached or did not answer in time");
        case Fault::retry:
            return unavailable("a row was locked for too long");
        case Fault::no_table:
            return unavailable("the table frond_worker is missing; run `frond init` to create it");
        case Fault::denied:
            return unavailable("no permission to select, insert and update in the table frond_worker");
        case Fault::refused:
            return unavailable("it cannot be used as configured; the log says why");
        case Fault::bad_text:
            return unavailable("the table's character set cannot hold the text");
        case Fault::duplicate:
        case Fault::other:
            break;
    }
    return unavailable("it failed; the log says why");
}

enum class Scope { read, transaction };

// Calls body(WorkerTable&), which returns RegistryResult<T> and may be called again: in a transaction, committed when
// it returns a T and rolled back otherwise, or, for reading, without one. Faults of its own: unavailable, and for a
// transaction unknown. `trouble` as for Database::transact().
template <class T, class Body>
worker::RegistryResult<T> call_table(Database& database, Scope scope, std::string_view name, Body body,
                                     CallTrouble& trouble) {
    std::optional<worker::RegistryError> refused;
    const auto within = [&](soci::session& session) -> Result<T> {
        WorkerTable table(session, database.dialect(), name);
        worker::RegistryResult<T> result = body(table);
        if (auto* error = std::get_if<worker::RegistryError>(&result)) {
            refused = std::move(*error);
            return Error(errc::internal);
        }
        return std::get<T>(std::move(result));
    };
    auto done = scope == Scope::read ? database.read(Audience::client, within, &trouble)
                                     : database.transact(Audience::client, within, &trouble);
    if (done) return std::move(*done);
    if (!trouble.fault && refused) return std::move(*refused);
    return registry_error(trouble, database.name());
}

template <class T, class Body>
worker::RegistryResult<T> call_table(Database& database, Scope scope, std::string_view name, Body body) {
    CallTrouble trouble;
    return call_table<T>(database, scope, name, std::move(body), trouble);
}

// Runs the body, which returns RegistryResult<T>; what it throws (memory is short) becomes an error with the fault
// `otherwise`.
template <class Body>
auto without_exceptions(worker::RegistryFault otherwise, Body body) -> decltype(body()) {
    try {
        return body();
    } catch (const std::exception& error) {
        return worker::RegistryError{otherwise, error.what()};
    }
}

// "database:mysql://db:3306/ids/frond".
[[nodiscard]] inline std::string describe_registry(const Database& database, std::string_view name) {
    return fmt::format("database:{}/{}", database.identity(), name);
}

}  // namespace frond::sql
