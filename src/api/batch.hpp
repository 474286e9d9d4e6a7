// How many IDs a request wants and in which form, and the text of the answer.
#pragma once

#include "http/types.hpp"
#include "segment/range.hpp"

#include <frond/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace frond::api {

enum class Format { text, json, ranges };

struct BatchRequest {
    bool single = true;  // neither count nor format was given: bare digits
    std::uint64_t count = 1;
    Format format = Format::text;
};

// Reads `count` and `format` of a query. Errors: invalid_count (not 1 to max_batch), invalid_format, bad_request (a
// doubled parameter, a broken escape).
[[nodiscard]] Result<BatchRequest> parse_batch(std::string_view query, std::uint64_t max_batch);

// Answers a batch: text (an ID a line), json or ranges. `key` is decoded.
void send_batch(http::Reply& reply, Format format, std::string_view key, std::span<const segment::Run> runs);

// Answers one ID as bare digits.
void send_single(http::Reply& reply, std::int64_t id);

}  // namespace frond::api
