#include "sql/worker_admin.hpp"

#include "sql/worker_call.hpp"
#include "sql/worker_survey.hpp"

#include <fmt/format.h>

#include <variant>

namespace frond::sql {

using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;

std::string SqlWorkerAdmin::describe() const { return describe_registry(*database_, name_); }

RegistryError SqlWorkerAdmin::never_made() const {
    return {RegistryFault::missing,
            fmt::format("no instance has joined the name '{}' in database {} yet", name_, database_->name())};
}

RegistryResult<Survey> SqlWorkerAdmin::look() {
    const auto read = [&](WorkerTable& table) -> RegistryResult<Survey> {
        const auto clock = table.clock();
        const auto rows = table.all();
        if (find_name(rows) == nullptr) return never_made();
        WorkerSeen fresh;
        auto survey = survey_of(rows, name_, fresh);
        if (auto* made = std::get_if<Survey>(&survey)) made->clock = clock;
        return survey;
    };
    return without_exceptions(RegistryFault::unavailable,
                              [&] { return call_table<Survey>(*database_, Scope::read, name_, read); });
}

RegistryResult<std::int64_t> SqlWorkerAdmin::raise_floor(std::int64_t floor_ms) {
    const auto raise = [&](WorkerTable& table) -> RegistryResult<std::int64_t> {
        const auto clock = table.clock();
        const auto row = table.row(name_row, Lock::yes);
        if (!row) return never_made();
        WorkerSeen fresh;
        auto named = name_of(*row, name_, fresh);
        if (auto* error = std::get_if<RegistryError>(&named)) return std::move(*error);
        auto& [name, handed_out, text] = std::get<NameRow>(named);
        if (name.floor >= floor_ms) return name.floor;
        name.floor = floor_ms;
        if (!table.replace(name_row, handed_out, handed_out, worker::format_name(name), modified_now(clock))) {
            return RegistryError{RegistryFault::unavailable, "the name's row changed while it was read"};
        }
        return floor_ms;
    };
    return without_exceptions(RegistryFault::unknown,
                              [&] { return call_table<std::int64_t>(*database_, Scope::transaction, name_, raise); });
}

}  // namespace frond::sql
