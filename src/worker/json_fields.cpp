#include "worker/json_fields.hpp"

#include <boost/json.hpp>

#include <stdexcept>

namespace frond::worker {

namespace json = boost::json;

std::int64_t json_number(const json::object& object, std::string_view key) {
    return object.at(key).to_number<std::int64_t>();
}

std::string json_text(const json::object& object, std::string_view key) {
    return json::value_to<std::string>(object.at(key));
}

json::object layout_to_json(const SnowflakeLayout& layout) {
    return {{"epoch", layout.epoch_ms()},
            {"timestamp_bits", layout.timestamp_bits()},
            {"worker_bits", layout.worker_bits()},
            {"sequence_bits", layout.sequence_bits()}};
}

SnowflakeLayout layout_from_json(const json::object& object) {
    const auto bits = [&](std::string_view key) { return object.at(key).to_number<int>(); };
    auto layout = SnowflakeLayout::make(json_number(object, "epoch"), bits("timestamp_bits"), bits("worker_bits"),
                                        bits("sequence_bits"));
    if (!layout) throw std::invalid_argument(layout.error().detail);
    return *layout;
}

}  // namespace frond::worker
