// GET, POST /api/segment/get/{key}
#pragma once

#include "api/endpoint.hpp"
#include "segment/service.hpp"

#include <cstdint>

namespace frond::api {

class SegmentEndpoint final : public Endpoint {
public:
    // `service` is null when the mode is off; it outlives the endpoint. max_batch: the largest count.
    SegmentEndpoint(segment::SegmentService* service, std::uint64_t max_batch)
        : service_(service), max_batch_(max_batch) {}

    bool try_answer(const Call& call, http::Reply& reply) override;
    awaitable<void> answer(Call call, http::Reply& reply) override;

private:
    segment::SegmentService* const service_;
    const std::uint64_t max_batch_;
};

}  // namespace frond::api
