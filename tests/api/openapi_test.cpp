// Holds conf/openapi.yaml against the router: the same paths with the same methods.
#include "api/openapi.hpp"

#include "api/problem.hpp"
#include "api/routes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace frond::api {
namespace {

using Paths = std::map<std::string, std::set<std::string>>;

// The document is written so that paths stand at two blanks and methods at four.
Paths documented() {
    Paths paths;
    std::istringstream lines{std::string(openapi_document())};
    std::string line;
    std::string path;
    bool inside = false;
    while (std::getline(lines, line)) {
        if (!line.starts_with(' ')) inside = line == "paths:";
        if (!inside) continue;
        if (line.starts_with("  /")) path = line.substr(2, line.size() - 3);
        for (const std::string method : {"get", "head", "post", "put", "patch", "delete"}) {
            if (line.starts_with("    " + method + ":")) paths[path].insert(method);
        }
    }
    return paths;
}

std::string name_of(http::Method method) {
    switch (method) {
        case http::Method::get:
            return "get";
        case http::Method::head:
            return "head";
        case http::Method::post:
            return "post";
        case http::Method::put:
            return "put";
        case http::Method::patch:
            return "patch";
        case http::Method::delete_:
            return "delete";
        case http::Method::options:
        case http::Method::other:
            break;
    }
    return "?";
}

Paths served() {
    const Health health(nullptr, nullptr);
    const http::ServerMetrics http_metrics;
    MetricSources sources{.version = "0",
                          .health = health,
                          .http = http_metrics,
                          .segment = nullptr,
                          .snowflake = nullptr,
                          .dispatchers = {}};
    const SnowflakeLayout layout;
    Endpoints endpoints{.segment = SegmentEndpoint(nullptr, 1),
                        .snowflake = SnowflakeEndpoint(nullptr, "off", 1),
                        .decode = DecodeEndpoint(layout),
                        .bounds = BoundsEndpoint(layout),
                        .leaf_decode = LeafDecodeEndpoint(layout),
                        .live = LiveEndpoint(),
                        .ready = ReadyEndpoint(health),
                        .startup = StartupEndpoint(health),
                        .metrics = MetricsEndpoint(sources),
                        .openapi = DocumentEndpoint("application/yaml", openapi_document())};
    Dispatcher ids(nullptr, AccessLog::off);
    Dispatcher management(nullptr, AccessLog::off);
    add_id_routes(ids, endpoints);
    add_management_routes(management, endpoints);
    Paths paths;
    for (const Dispatcher* dispatcher : {&ids, &management}) {
        for (const Dispatcher::Route& route : dispatcher->routes()) {
            for (const http::Method method : route.methods) paths[route.pattern].insert(name_of(method));
        }
    }
    return paths;
}

TEST(OpenApi, DescribesWhatIsServed) { EXPECT_EQ(documented(), served()); }

TEST(OpenApi, NamesEveryCodeThatClientsCanMeet) {
    const std::string_view document = openapi_document();
    for (int code = 1; code <= static_cast<int>(errc::internal); ++code) {
        const errc value = static_cast<errc>(code);
        // Not yet served: tokens, quotas and key administration come with their endpoints.
        if (value == errc::unauthorized || value == errc::forbidden || value == errc::rate_limited ||
            value == errc::key_exists) {
            continue;
        }
        EXPECT_NE(document.find("- " + std::string(problem_kind(value).code) + "\n"), std::string_view::npos)
            << problem_kind(value).code;
    }
}

}  // namespace
}  // namespace frond::api
