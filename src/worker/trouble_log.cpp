#include "worker/trouble_log.hpp"

#include <spdlog/spdlog.h>

namespace frond::worker {

void TroubleLog::report(const std::string& kind, const std::string& sentence) {
    quiet_since_.reset();
    if (kind == kind_) return;
    kind_ = kind;
    spdlog::warn("{}: {}", subject_, sentence);
}

void TroubleLog::report_none(SteadyTime now) {
    if (kind_.empty()) return;
    if (!quiet_since_) quiet_since_ = now;
    if (now - *quiet_since_ < settle_) return;
    clear();
    spdlog::info("{}: in order again", subject_);
}

void TroubleLog::clear() {
    kind_.clear();
    quiet_since_.reset();
}

}  // namespace frond::worker
