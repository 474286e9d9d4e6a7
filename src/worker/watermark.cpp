#include "worker/watermark.hpp"

#include <algorithm>

namespace frond::worker {

std::int64_t next_watermark(std::int64_t present, std::int64_t now_ms, std::int64_t max_ahead_ms,
                            std::int64_t fence) noexcept {
    return std::max(present, std::min(later(now_ms, max_ahead_ms), fence));
}

std::chrono::milliseconds watermark_interval(std::int64_t max_ahead_ms) noexcept {
    return std::chrono::milliseconds(std::max<std::int64_t>(1, max_ahead_ms / 3));
}

std::int64_t dependable_lead(std::int64_t max_ahead_ms) noexcept {
    return std::max<std::int64_t>(0, max_ahead_ms - watermark_interval(max_ahead_ms).count());
}

}  // namespace frond::worker
