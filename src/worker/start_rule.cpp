#include "worker/start_rule.hpp"

#include "base/units.hpp"

#include <fmt/format.h>

namespace frond::worker {

std::optional<Error> refuse_time(const SnowflakeLayout& layout, std::int64_t now_ms) {
    if (now_ms < layout.epoch_ms()) {
        return Error(errc::clock_rollback, fmt::format("the clock shows {}, before the layout's epoch {}",
                                                       format_rfc3339(now_ms), format_rfc3339(layout.epoch_ms())));
    }
    if (now_ms > layout.last_timestamp_ms()) {
        return Error(errc::timestamp_exhausted,
                     fmt::format("the clock shows {}, and the layout's timestamp field is full since {}",
                                 format_rfc3339(now_ms), format_rfc3339(layout.last_timestamp_ms())));
    }
    return std::nullopt;
}

std::int64_t start_allowed_at(const StartRule& rule, std::int64_t floor) noexcept {
    return floor < INT64_MIN + rule.max_ahead_ms ? INT64_MIN : floor - rule.max_ahead_ms;
}

std::optional<Error> refuse_start(const StartRule& rule, std::int64_t now_ms, std::optional<std::int64_t> floor) {
    if (auto refused = refuse_time(rule.layout, now_ms)) return refused;
    if (!floor || now_ms >= start_allowed_at(rule, *floor)) return std::nullopt;

    // floor > now here; both may be anything that a file can hold.
    const auto behind_ms = static_cast<std::uint64_t>(*floor) - static_cast<std::uint64_t>(now_ms);
    const auto facts = fmt::format("the clock shows {}, {} ms behind {}, up to which this worker ID may have been used",
                                   format_rfc3339(now_ms), behind_ms, format_rfc3339(*floor));
    if (behind_ms <= static_cast<std::uint64_t>(rule.max_clock_skew_ms)) {
        return Error(errc::clock_rollback, facts + "; waiting for it");
    }
    return Error(errc::clock_rollback, facts + "; set the clock right, or take another worker ID if it is right");
}

}  // namespace frond::worker
