#include "api/problem.hpp"

#include "api/reply_text.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace frond::api {
namespace {

// The table of the HTTP API, once more, by hand: clients switch on these.
TEST(Problem, EveryCodeHasItsStatus) {
    const std::map<errc, std::pair<unsigned, std::string>> expected{
        {errc::invalid_key, {400, "INVALID_KEY"}},
        {errc::invalid_count, {400, "INVALID_COUNT"}},
        {errc::invalid_format, {400, "INVALID_FORMAT"}},
        {errc::invalid_id, {400, "INVALID_ID"}},
        {errc::bad_request, {400, "BAD_REQUEST"}},
        {errc::unauthorized, {401, "UNAUTHORIZED"}},
        {errc::forbidden, {403, "FORBIDDEN"}},
        {errc::key_not_found, {404, "KEY_NOT_FOUND"}},
        {errc::not_found, {404, "NOT_FOUND"}},
        {errc::mode_disabled, {404, "MODE_DISABLED"}},
        {errc::method_not_allowed, {405, "METHOD_NOT_ALLOWED"}},
        {errc::rate_limited, {429, "RATE_LIMITED"}},
        {errc::request_timeout, {408, "REQUEST_TIMEOUT"}},
        {errc::key_exists, {409, "KEY_EXISTS"}},
        {errc::key_exhausted, {410, "KEY_EXHAUSTED"}},
        {errc::payload_too_large, {413, "PAYLOAD_TOO_LARGE"}},
        {errc::uri_too_long, {414, "URI_TOO_LONG"}},
        {errc::headers_too_large, {431, "HEADERS_TOO_LARGE"}},
        {errc::expectation_failed, {417, "EXPECTATION_FAILED"}},
        {errc::not_implemented, {501, "NOT_IMPLEMENTED"}},
        {errc::http_version, {505, "HTTP_VERSION"}},
        {errc::segment_unavailable, {503, "SEGMENT_UNAVAILABLE"}},
        {errc::store_unavailable, {503, "SEGMENT_UNAVAILABLE"}},
        {errc::snowflake_overloaded, {503, "SNOWFLAKE_OVERLOADED"}},
        {errc::key_misconfigured, {503, "KEY_MISCONFIGURED"}},
        {errc::timestamp_exhausted, {503, "TIMESTAMP_EXHAUSTED"}},
        {errc::store_went_backwards, {503, "STORE_WENT_BACKWARDS"}},
        {errc::clock_rollback, {503, "CLOCK_ROLLBACK"}},
        {errc::limit_reached, {503, "WORKER_UNAVAILABLE"}},
        {errc::lease_lost, {503, "LEASE_LOST"}},
        {errc::worker_unavailable, {503, "WORKER_UNAVAILABLE"}},
        {errc::draining, {503, "DRAINING"}},
        {errc::invalid_configuration, {500, "INTERNAL"}},
        {errc::internal, {500, "INTERNAL"}},
    };
    EXPECT_EQ(expected.size(), static_cast<std::size_t>(errc::internal));
    for (const auto& [code, want] : expected) {
        EXPECT_EQ(problem_kind(code).status, want.first) << want.second;
        EXPECT_EQ(problem_kind(code).code, want.second);
    }
}

TEST(Problem, RetryAfterStandsOnWhatPasses) {
    for (const errc code : {errc::segment_unavailable, errc::snowflake_overloaded, errc::store_went_backwards,
                            errc::clock_rollback, errc::lease_lost, errc::worker_unavailable, errc::rate_limited}) {
        EXPECT_GT(problem_kind(code).retry_after_s, 0U) << problem_kind(code).code;
    }
    EXPECT_EQ(problem_kind(errc::key_not_found).retry_after_s, 0U);
}

TEST(Problem, BodyIsRfc9457) {
    ReplyText text;
    send_problem(text.reply, errc::key_not_found, "no \"such\" key", "/api/segment/get/x", "X-Extra: 1\r\n");
    EXPECT_EQ(text.reply.status, 404U);
    EXPECT_TRUE(text.has_header("Content-Type: application/problem+json"));
    EXPECT_TRUE(text.has_header("Cache-Control: no-store"));
    EXPECT_TRUE(text.has_header("X-Extra: 1"));
    EXPECT_EQ(text.body(),
              "{\"type\":\"urn:frond:key-not-found\",\"title\":\"There is no such key\",\"status\":404,"
              "\"detail\":\"no \\\"such\\\" key\",\"instance\":\"/api/segment/get/x\",\"code\":\"KEY_NOT_FOUND\"}\n");
}

TEST(Problem, DefectsKeepTheirDetailToTheLog) {
    ReplyText text;
    send_problem(text.reply, errc::internal, "secret", "/x");
    EXPECT_EQ(text.body().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace frond::api
