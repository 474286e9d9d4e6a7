// Fields of JSON objects as the worker room writes them. Pure functions; the readers throw std::exception, saying what
// is wrong, when a field is missing or of another kind.
#pragma once

#include <frond/snowflake_layout.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace frond::worker {

[[nodiscard]] std::int64_t json_number(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::string json_text(const boost::json::object& object, std::string_view key);

// {"epoch", "timestamp_bits", "worker_bits", "sequence_bits"}.
[[nodiscard]] boost::json::object layout_to_json(const SnowflakeLayout& layout);
[[nodiscard]] SnowflakeLayout layout_from_json(const boost::json::object& object);

}  // namespace frond::worker
