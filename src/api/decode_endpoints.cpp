#include "api/decode_endpoints.hpp"

#include "api/problem.hpp"
#include "base/units.hpp"
#include "http/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace frond::api {
namespace {

constexpr std::string_view json = "application/json";

void send_error(const Error& error, const Call& call, http::Reply& reply) {
    send_problem(reply, error.code, error.detail, call.request.path);
}

Result<SnowflakeParts> decode_text(std::string_view text, const SnowflakeLayout& layout) {
    const Result<std::int64_t> id = parse_id(text);
    if (!id) return id.error();
    return layout.decode(*id);
}

// A parameter that must be there, decoded into `scratch` where needed.
Result<std::string_view> required(std::string_view query, std::string_view name, errc missing, std::string& scratch) {
    const auto found = http::find_parameter(query, name, scratch);
    if (!found) return found.error();
    if (!*found) return Error(missing, fmt::format("the parameter {} is missing", name));
    return **found;
}

Result<std::int64_t> time_parameter(std::string_view query, std::string_view name) {
    std::string scratch;
    const Result<std::string_view> text = required(query, name, errc::bad_request, scratch);
    if (!text) return text.error();
    // The '+' of an offset is easily left unescaped and then stands for a space.
    std::string time(*text);
    if (time.size() > 10) std::replace(time.begin() + 11, time.end(), ' ', '+');
    const Result<std::int64_t> ms = parse_rfc3339(time);
    if (!ms)
        return Error(errc::bad_request, fmt::format("{} must be a time like 2019-09-06T01:35:00Z (RFC 3339)", name));
    return ms;
}

// "2019-09-06 09:35:00.834" in the process's time zone.
std::string local_time(std::int64_t unix_ms) {
    const std::int64_t ms = (unix_ms % 1000 + 1000) % 1000;
    const auto seconds = static_cast<std::time_t>((unix_ms - ms) / 1000);
    std::tm local{};
    if (localtime_r(&seconds, &local) == nullptr) return "out of range";
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", local.tm_year + 1900, local.tm_mon + 1,
                       local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, ms);
}

}  // namespace

Result<std::int64_t> parse_id(std::string_view text) {
    std::int64_t id = 0;
    const bool starts_with_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (!starts_with_digit || error != std::errc() || end != text.data() + text.size()) {
        return Error(errc::invalid_id, "an ID is a decimal number from 0 to 9223372036854775807");
    }
    return id;
}

std::string decoded_json(std::int64_t id, const SnowflakeParts& parts) {
    return fmt::format(R"({{"id":"{}","timestamp_ms":{},"time":"{}","worker_id":{},"sequence":{}}})"
                       "\n",
                       id, parts.timestamp_ms, format_rfc3339(parts.timestamp_ms), parts.worker_id, parts.sequence);
}

bool DecodeEndpoint::try_answer(const Call& call, http::Reply& reply) {
    const Result<SnowflakeParts> parts = decode_text(call.tail, layout_);
    if (!parts) {
        send_error(parts.error(), call, reply);
        return true;
    }
    reply.send(200, json, decoded_json(*parse_id(call.tail), *parts));
    return true;
}

bool BoundsEndpoint::try_answer(const Call& call, http::Reply& reply) {
    const Result<std::int64_t> from = time_parameter(call.request.query, "from");
    const Result<std::int64_t> to = from ? time_parameter(call.request.query, "to") : from;
    if (!to) {
        send_error(to.error(), call, reply);
        return true;
    }
    const Result<SnowflakeBounds> bounds = layout_.bounds(*from, *to);
    if (!bounds) {
        send_error(bounds.error(), call, reply);
        return true;
    }
    reply.send(200, json,
               fmt::format(R"({{"first":"{}","last":"{}"}})"
                           "\n",
                           bounds->first, bounds->last));
    return true;
}

bool LeafDecodeEndpoint::try_answer(const Call& call, http::Reply& reply) {
    std::string scratch;
    const Result<std::string_view> text = required(call.request.query, "snowflakeId", errc::bad_request, scratch);
    const Result<SnowflakeParts> parts = text ? decode_text(*text, layout_) : Result<SnowflakeParts>(text.error());
    if (!parts) {
        send_error(parts.error(), call, reply);
        return true;
    }
    reply.send(200, "application/json;charset=UTF-8",
               fmt::format(R"leaf({{"timestamp":"{}({})","sequenceId":"{}","workerId":"{}"}})leaf", parts->timestamp_ms,
                           local_time(parts->timestamp_ms), parts->sequence, parts->worker_id));
    return true;
}

}  // namespace frond::api
