// Errors as HTTP: the one place that knows which status and word an errc has.
#pragma once

#include "http/types.hpp"

#include <frond/result.hpp>

#include <string_view>

namespace frond::api {

struct ProblemKind {
    unsigned status;
    std::string_view code;   // the stable word
    std::string_view title;  // the same for every problem of this kind
    unsigned retry_after_s;  // 0: no Retry-After
};

// How a client sees an error. Codes that say more than a client should know are shown as a coarser one.
[[nodiscard]] ProblemKind problem_kind(errc code) noexcept;

// Answers with application/problem+json (RFC 9457). `instance` is the request's path, empty when none could be read.
// `extra_headers` as in http::Reply::send(). The detail of errc::internal is not sent.
void send_problem(http::Reply& reply, errc code, std::string_view detail, std::string_view instance,
                  std::string_view extra_headers = {});

}  // namespace frond::api
