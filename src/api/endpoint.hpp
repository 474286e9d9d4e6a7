// An endpoint: what answers one path.
#pragma once

#include "http/types.hpp"

#include <string_view>

namespace frond::api {

// A request that found its endpoint. `tail` is what stands in the place of the path's {parameter}, still
// percent-encoded; empty when the path has none.
struct Call {
    const http::Request& request;
    std::string_view tail;
};

// Thread-safe; one object for all requests.
class Endpoint {
public:
    virtual ~Endpoint() = default;

    // Answers at once, or returns false without having touched `reply` when the answer has to wait.
    virtual bool try_answer(const Call& call, http::Reply& reply) = 0;

    // Answers, waiting if need be; called only after try_answer() returned false, so that endpoints that never wait
    // need not have it.
    virtual awaitable<void> answer(Call call, http::Reply& reply);
};

}  // namespace frond::api
