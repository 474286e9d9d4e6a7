// Rows of frond_worker as the worker room sees them. Pure functions; thread-safe.
#pragma once

#include "sql/worker_seen.hpp"
#include "sql/worker_table.hpp"
#include "worker/registry.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frond::sql {

// The row of the name itself.
struct NameRow {
    worker::NameRecord name;
    std::int64_t handed_out;
    std::string text;  // what `name` was read from
};

// `contradiction` for a row that cannot be read, `went_backwards` as `seen` says.
[[nodiscard]] worker::RegistryResult<NameRow> name_of(const WorkerRow& row, std::string_view name, WorkerSeen& seen);

// The record with this worker ID; one that cannot be read says why in `problem`. `went_backwards`.
[[nodiscard]] worker::RegistryResult<worker::RecordView> view_of(const WorkerRow& row, std::string_view name,
                                                                 std::int64_t offset, WorkerSeen& seen);

// All rows of the name, which has a row of its own among them. Errors as name_of() and view_of().
[[nodiscard]] worker::RegistryResult<worker::Survey> survey_of(const std::vector<WorkerRow>& rows,
                                                               std::string_view name, WorkerSeen& seen);

// The row of the name itself; null when there is none.
[[nodiscard]] const WorkerRow* find_name(const std::vector<WorkerRow>& rows) noexcept;

}  // namespace frond::sql
