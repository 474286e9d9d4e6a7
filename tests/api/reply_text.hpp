// A reply as text, for tests of endpoints.
#pragma once

#include "api/endpoint.hpp"
#include "http/types.hpp"

#include <string>
#include <string_view>

namespace frond::api {

struct ReplyText {
    std::string out;
    http::Reply reply;

    ReplyText() { reply.out = &out; }

    [[nodiscard]] std::string body() const { return out.substr(out.find("\r\n\r\n") + 4); }
    [[nodiscard]] bool has_header(std::string_view line) const {
        return out.find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
    }
};

// The request of a target: GET unless told otherwise.
inline http::Request request_of(std::string_view target, http::Method method = http::Method::get) {
    http::Request request;
    request.method = method;
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    request.query = request.path.size() < target.size() ? target.substr(request.path.size() + 1) : std::string_view();
    return request;
}

}  // namespace frond::api
