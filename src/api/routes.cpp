#include "api/routes.hpp"

namespace frond::api {
namespace {

using http::Method;

void add_shared_routes(Dispatcher& dispatcher, Endpoints& endpoints) {
    dispatcher.add("/livez", {Method::get, Method::head}, endpoints.live);
    dispatcher.add("/healthz", {Method::get, Method::head}, endpoints.live);
    dispatcher.add("/readyz", {Method::get, Method::head}, endpoints.ready);
    dispatcher.add("/readyz/{mode}", {Method::get, Method::head}, endpoints.ready);
    dispatcher.add("/openapi.yaml", {Method::get, Method::head}, endpoints.openapi);
}

}  // namespace

void add_id_routes(Dispatcher& dispatcher, Endpoints& endpoints) {
    dispatcher.add("/api/segment/get/{key}", {Method::get, Method::post}, endpoints.segment);
    dispatcher.add("/api/snowflake/get/{key}", {Method::get, Method::post}, endpoints.snowflake);
    dispatcher.add("/api/snowflake/decode/{id}", {Method::get, Method::head}, endpoints.decode);
    dispatcher.add("/api/snowflake/bounds", {Method::get, Method::head}, endpoints.bounds);
    dispatcher.add("/decodeSnowflakeId", {Method::get, Method::head, Method::post}, endpoints.leaf_decode);
    add_shared_routes(dispatcher, endpoints);
}

void add_management_routes(Dispatcher& dispatcher, Endpoints& endpoints) {
    add_shared_routes(dispatcher, endpoints);
    dispatcher.add("/startupz", {Method::get, Method::head}, endpoints.startup);
    dispatcher.add("/metrics", {Method::get, Method::head}, endpoints.metrics);
}

}  // namespace frond::api
