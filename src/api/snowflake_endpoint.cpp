#include "api/snowflake_endpoint.hpp"

#include "api/batch.hpp"
#include "api/key_argument.hpp"
#include "api/problem.hpp"
#include "base/key.hpp"

#include <string>
#include <vector>

namespace frond::api {
namespace {

// Evenly spaced IDs as one run: an ID that goes on from the last two joins them.
void append(std::vector<segment::Run>& runs, const segment::Run& run) {
    if (!runs.empty()) {
        segment::Run& last = runs.back();
        if (last.count == 1 && run.count == 1) {
            last.delta = run.first - last.first;
            last.count = 2;
            return;
        }
        if ((run.count == 1 || run.delta == last.delta) && run.first - last.last() == last.delta) {
            last.count += run.count;
            return;
        }
    }
    runs.push_back(run);
}

// The IDs of the ticks of one millisecond follow each other; the worker ID lies between one millisecond and the next.
std::vector<segment::Run> runs_of(const snowflake::IdRun& ids) {
    const std::uint64_t per_ms = static_cast<std::uint64_t>(ids.layout.max_sequence()) + 1;
    std::vector<segment::Run> runs;
    runs.reserve(ids.count / per_ms + 2);
    for (std::uint64_t done = 0; done < ids.count;) {
        const std::uint64_t here = std::min(per_ms - (ids.first + done) % per_ms, ids.count - done);
        append(runs, {.first = ids.id(done), .count = static_cast<std::int64_t>(here), .delta = 1});
        done += here;
    }
    return runs;
}

void send_taken(const snowflake::IdRun& ids, const BatchRequest& batch, std::string_view key, http::Reply& reply) {
    if (batch.single) return send_single(reply, ids.id(0));
    send_batch(reply, batch.format, key, runs_of(ids));
}

}  // namespace

bool SnowflakeEndpoint::try_answer(const Call& call, http::Reply& reply) {
    const std::string_view path = call.request.path;
    if (service_ == nullptr) {
        send_problem(reply, errc::mode_disabled, why_off_, path);
        return true;
    }
    const Result<std::string_view> key = decode_key(call.tail);
    if (!key) {
        send_problem(reply, key.error().code, key.error().detail, path);
        return true;
    }
    if (const Result<void> valid = validate_key(*key); !valid) {
        send_problem(reply, valid.error().code, valid.error().detail, path);
        return true;
    }
    const Result<BatchRequest> batch = parse_batch(call.request.query, max_batch_);
    if (!batch) {
        send_problem(reply, batch.error().code, batch.error().detail, path);
        return true;
    }
    const Result<snowflake::IdRun> ids = service_->try_take(call.request.now_ms, batch->count);
    if (!ids) return false;
    send_taken(*ids, *batch, *key, reply);
    return true;
}

awaitable<void> SnowflakeEndpoint::answer(Call call, http::Reply& reply) {
    const Result<BatchRequest> batch = parse_batch(call.request.query, max_batch_);
    const std::string key(*decode_key(call.tail));
    const Result<snowflake::IdRun> ids = co_await service_->take(batch->count);
    if (ids) {
        send_taken(*ids, *batch, key, reply);
    } else {
        send_problem(reply, ids.error().code, ids.error().detail, call.request.path);
    }
}

}  // namespace frond::api
