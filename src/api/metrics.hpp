// GET /metrics: the counters of the process in Prometheus' text format, version 0.0.4.
#pragma once

#include "api/dispatcher.hpp"
#include "api/endpoint.hpp"
#include "api/health.hpp"
#include "http/server_metrics.hpp"
#include "segment/metrics.hpp"
#include "snowflake/service.hpp"

#include <string>
#include <vector>

namespace frond::api {

// Where the numbers are; everything outlives the endpoint. Metrics of a mode that is off are null.
struct MetricSources {
    std::string version;
    const Health& health;
    const http::ServerMetrics& http;
    const segment::SegmentMetrics* segment;
    const snowflake::SnowflakeMetrics* snowflake;
    bool leased = false;                         // the worker ID comes from a registry; `snowflake` is set then
    std::vector<const Dispatcher*> dispatchers;  // of the ID port and the management port
};

// The whole text. Thread-safe.
[[nodiscard]] std::string render_metrics(const MetricSources& sources);

class MetricsEndpoint final : public Endpoint {
public:
    explicit MetricsEndpoint(MetricSources& sources) : sources_(sources) {}
    bool try_answer(const Call& call, http::Reply& reply) override;

private:
    const MetricSources& sources_;
};

}  // namespace frond::api
