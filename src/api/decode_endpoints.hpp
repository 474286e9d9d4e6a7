// Endpoints that explain Snowflake IDs. They need no worker ID and work while the mode is off.
#pragma once

#include "api/endpoint.hpp"

#include <frond/snowflake_layout.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace frond::api {

// GET /api/snowflake/decode/{id}
class DecodeEndpoint final : public Endpoint {
public:
    explicit DecodeEndpoint(const SnowflakeLayout& layout) : layout_(layout) {}
    bool try_answer(const Call& call, http::Reply& reply) override;

private:
    const SnowflakeLayout layout_;
};

// GET /api/snowflake/bounds?from=…&to=…, both RFC 3339 and both inclusive
class BoundsEndpoint final : public Endpoint {
public:
    explicit BoundsEndpoint(const SnowflakeLayout& layout) : layout_(layout) {}
    bool try_answer(const Call& call, http::Reply& reply) override;

private:
    const SnowflakeLayout layout_;
};

// GET, POST /decodeSnowflakeId?snowflakeId=…, in the shape of Leaf's monitor page and the process's time zone, but with
// the configured layout, and 400 for what is no ID
class LeafDecodeEndpoint final : public Endpoint {
public:
    explicit LeafDecodeEndpoint(const SnowflakeLayout& layout) : layout_(layout) {}
    bool try_answer(const Call& call, http::Reply& reply) override;

private:
    const SnowflakeLayout layout_;
};

// The parts of an ID as the decode path shows them, one line of JSON.
[[nodiscard]] std::string decoded_json(std::int64_t id, const SnowflakeParts& parts);

// Reads a decimal ID: digits alone, at most 2^63 - 1. errc::invalid_id otherwise.
[[nodiscard]] Result<std::int64_t> parse_id(std::string_view text);

}  // namespace frond::api
