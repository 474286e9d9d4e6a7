#include "sql/key_settings.hpp"

#include "base/key.hpp"

#include <fmt/format.h>

#include <limits>

namespace frond::sql {
namespace {

constexpr std::int64_t max_row_step = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t max_description_characters = 256;

}  // namespace

Result<void> validate_record(const segment::KeyRecord& record) {
    if (const auto valid = validate_key(record.key); !valid) return valid;
    const auto wrong = [&](const char* name, std::int64_t found, const std::string& expected) {
        return Error(errc::key_misconfigured,
                     fmt::format("key '{}': {} is {}, expected {}", record.key, name, found, expected));
    };
    if (record.max_id < 0) return wrong("max_id", record.max_id, "at least 0");
    if (record.delta < 1) return wrong("delta", record.delta, "at least 1");
    if (record.remainder < 0 || record.remainder >= record.delta) {
        return wrong("remainder", record.remainder, fmt::format("0 to delta - 1 ({})", record.delta - 1));
    }
    if (record.step < 1 || record.step > max_row_step) {
        return wrong("step", record.step, fmt::format("1 to {}", max_row_step));
    }
    if (record.step < record.delta) {
        return wrong("step", record.step,
                     fmt::format("at least delta ({}), so that every range holds an ID", record.delta));
    }
    if (record.max_step < 1) return wrong("max_step", record.max_step, "at least 1");
    const auto characters = count_characters(record.description);
    if (!characters || *characters > max_description_characters) {
        return Error(errc::key_misconfigured,
                     fmt::format("key '{}': description must be UTF-8 of at most {} characters", record.key,
                                 max_description_characters));
    }
    return {};
}

}  // namespace frond::sql
