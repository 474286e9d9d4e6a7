// GET, HEAD of a text that is compiled into the binary, such as /openapi.yaml.
#pragma once

#include "api/endpoint.hpp"

#include <string>
#include <string_view>

namespace frond::api {

class DocumentEndpoint final : public Endpoint {
public:
    // `text` lives as long as the endpoint.
    DocumentEndpoint(std::string_view content_type, std::string_view text) : content_type_(content_type), text_(text) {}

    bool try_answer(const Call&, http::Reply& reply) override {
        reply.send(200, content_type_, text_);
        return true;
    }

private:
    const std::string content_type_;
    const std::string_view text_;
};

}  // namespace frond::api
