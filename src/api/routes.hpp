// Every path that the server answers, in one place.
#pragma once

#include "api/decode_endpoints.hpp"
#include "api/dispatcher.hpp"
#include "api/document_endpoint.hpp"
#include "api/health.hpp"
#include "api/metrics.hpp"
#include "api/segment_endpoint.hpp"
#include "api/snowflake_endpoint.hpp"

namespace frond::api {

// The endpoints behind the paths. Outlives the dispatchers.
struct Endpoints {
    SegmentEndpoint segment;
    SnowflakeEndpoint snowflake;
    DecodeEndpoint decode;
    BoundsEndpoint bounds;
    LeafDecodeEndpoint leaf_decode;
    LiveEndpoint live;
    ReadyEndpoint ready;
    StartupEndpoint startup;
    MetricsEndpoint metrics;
    DocumentEndpoint openapi;
};

// The ID port: what applications call, and what a load balancer asks.
void add_id_routes(Dispatcher& dispatcher, Endpoints& endpoints);

// The management port: what operators and Kubernetes ask.
void add_management_routes(Dispatcher& dispatcher, Endpoints& endpoints);

}  // namespace frond::api
