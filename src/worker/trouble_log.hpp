// One log line when a trouble begins, one when it has ended.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace frond::worker {

// Remembers what was said. Used by one thread.
class TroubleLog {
public:
    // `subject` begins each line: "Snowflake mode". A trouble has ended when there was none for `settle`: one that
    // comes and goes several times a second is one trouble.
    TroubleLog(std::string subject, std::chrono::milliseconds settle) : subject_(std::move(subject)), settle_(settle) {}

    // States the present trouble. Logs when its kind, any stable word, is not that of the last one; the sentence may
    // change meanwhile.
    void report(const std::string& kind, const std::string& sentence);
    // States that there is none.
    void report_none(SteadyTime now);
    // Ends the trouble, if any, without a line: the caller logs something better.
    void clear();

private:
    const std::string subject_;
    const std::chrono::milliseconds settle_;
    std::string kind_;  // empty: none
    std::optional<SteadyTime> quiet_since_;
};

}  // namespace frond::worker
