#include "sql/worker_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace frond::sql {

using worker::RecordView;
using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;

RegistryResult<NameRow> name_of(const WorkerRow& row, std::string_view name, WorkerSeen& seen) {
    const auto unreadable = [&](std::string_view why) {
        return RegistryError{RegistryFault::contradiction,
                             fmt::format("the row of the name '{}' in frond_worker (worker_id {}) cannot be read: {}; "
                                         "restore it, or use another snowflake.name",
                                         name, name_row, why)};
    };
    if (row.version.value_or(-1) < 0) return unreadable("version is not a count");
    auto parsed = worker::parse_name(row.record);
    if (!parsed) return unreadable(parsed.error().detail);
    if (auto older = seen.name(*parsed, *row.version)) {
        return RegistryError{RegistryFault::went_backwards, std::move(*older)};
    }
    return NameRow{std::move(*parsed), *row.version, row.record};
}

RegistryResult<RecordView> view_of(const WorkerRow& row, std::string_view name, std::int64_t offset, WorkerSeen& seen) {
    if (!row.worker_id || *row.worker_id < 0) {
        return RegistryError{
            RegistryFault::contradiction,
            fmt::format("frond_worker holds a row of '{}' whose worker_id is no number of a worker", name)};
    }
    RecordView view;
    view.number = *row.worker_id - offset;
    view.version = row.version.value_or(-1);
    const bool modified = row.modified_ms && *row.modified_ms >= -worker::furthest_time_ms &&
                          *row.modified_ms <= worker::furthest_time_ms;
    view.modified_ms = modified ? *row.modified_ms : 0;
    view.place = fmt::format("worker_id {} of '{}' in frond_worker", *row.worker_id, name);
    if (auto older = seen.record(view.number, view.version, row.record)) {
        return RegistryError{RegistryFault::went_backwards, std::move(*older)};
    }
    auto parsed = worker::parse_record(row.record);
    if (!parsed) {
        view.problem = parsed.error().detail;
    } else if (!row.version || !modified) {
        view.problem = "version or modified is impossible";
    } else {
        view.record = std::move(*parsed);
    }
    return view;
}

const WorkerRow* find_name(const std::vector<WorkerRow>& rows) noexcept {
    const auto found = std::ranges::find(rows, name_row, &WorkerRow::worker_id);
    return found == rows.end() ? nullptr : &*found;
}

RegistryResult<Survey> survey_of(const std::vector<WorkerRow>& rows, std::string_view name, WorkerSeen& seen) {
    auto named = name_of(*find_name(rows), name, seen);
    if (auto* error = std::get_if<RegistryError>(&named)) return std::move(*error);
    auto& name_row_read = std::get<NameRow>(named);

    Survey survey;
    survey.name = std::move(name_row_read.name);
    survey.next_number = name_row_read.handed_out;
    for (const WorkerRow& row : rows) {
        if (row.worker_id == name_row) continue;
        auto view = view_of(row, name, survey.name.space.offset, seen);
        if (auto* error = std::get_if<RegistryError>(&view)) return std::move(*error);
        survey.records.push_back(std::get<RecordView>(std::move(view)));
    }
    return survey;
}

}  // namespace frond::sql
