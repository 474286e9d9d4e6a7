// What segment mode counts.
#pragma once

#include "base/metrics.hpp"

namespace frond::segment {

struct SegmentMetrics {
    Counter ids_issued;
    Counter waits;             // takes that found no range ready
    Counter refused;           // takes that ended without IDs
    Counter refills;           // ranges that the store gave
    Counter refill_failures;   // calls to the store that failed, whatever the reason
    Counter went_backwards;    // ranges refused because the table went backwards
    Counter journal_failures;  // records that did not reach the guard file
    Gauge keys;                // keys in memory
    Gauge waiting;             // callers that wait now
    Gauge store_up;            // 1 while the store answers
};

}  // namespace frond::segment
