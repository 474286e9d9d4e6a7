// What a server counts. Thread-safe.
#pragma once

#include "base/metrics.hpp"

namespace frond::http {

struct ServerMetrics {
    Counter connections_accepted;
    Counter connections_refused;  // over max_connections
    Counter accept_failures;      // out of descriptors or memory
    Counter requests;             // answered, also with an error
    Counter timeouts;             // requests not complete, or replies not taken, in time
    Gauge connections_open;
};

}  // namespace frond::http
