// GET, POST /api/snowflake/get/{key}. Any valid key is accepted, as in Leaf; it makes no difference.
#pragma once

#include "api/endpoint.hpp"
#include "snowflake/service.hpp"

#include <cstdint>
#include <string>

namespace frond::api {

class SnowflakeEndpoint final : public Endpoint {
public:
    // `service` is null when the mode is off, and `why_off` then says why; it outlives the endpoint. max_batch: the
    // largest count.
    SnowflakeEndpoint(snowflake::SnowflakeService* service, std::string why_off, std::uint64_t max_batch)
        : service_(service), why_off_(std::move(why_off)), max_batch_(max_batch) {}

    bool try_answer(const Call& call, http::Reply& reply) override;
    awaitable<void> answer(Call call, http::Reply& reply) override;

private:
    snowflake::SnowflakeService* const service_;
    const std::string why_off_;
    const std::uint64_t max_batch_;
};

}  // namespace frond::api
