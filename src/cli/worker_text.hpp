// Records of worker IDs as the command line shows them. Pure functions; times in ms since the Unix epoch.
#pragma once

#include "worker/registry.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace frond::cli {

// What a registry shows, and when it was looked at.
struct WorkerListing {
    std::string name;      // snowflake.name
    std::string registry;  // WorkerAdmin::describe()
    worker::Survey survey;
    std::int64_t now_ms;  // in the registry's clock, or in this machine's where the registry has none
};

// Distance in the two largest units: "+14m57s", "-3d4h", "+0s".
[[nodiscard]] std::string distance(std::int64_t time_ms, std::int64_t now_ms);

// RFC 3339 and how far that is from now: "2026-12-01T04:15:00.000Z (+14m57s)".
[[nodiscard]] std::string time_text(std::int64_t time_ms, std::int64_t now_ms);

// "held", "released", "leaf" for a node that Leaf made, "unreadable".
[[nodiscard]] std::string_view state_word(const worker::RecordView& view);

// The highest fence of all records; INT64_MIN when there is none.
[[nodiscard]] std::int64_t highest_fence(const worker::Survey& survey);

// The name's own data, a line each, and all records as a table, by worker ID.
[[nodiscard]] std::string worker_table(const WorkerListing& listing);
// One record, a field a line.
[[nodiscard]] std::string worker_text(const worker::RecordView& view, const WorkerListing& listing);

// The same as JSON objects, without a newline.
[[nodiscard]] std::string worker_list_json(const WorkerListing& listing);
[[nodiscard]] std::string worker_json(const worker::RecordView& view, const WorkerListing& listing);

}  // namespace frond::cli
