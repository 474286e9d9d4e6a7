#include "api/segment_endpoint.hpp"

#include "api/batch.hpp"
#include "api/key_argument.hpp"
#include "api/problem.hpp"
#include "base/key.hpp"

#include <string>
#include <utility>

namespace frond::api {
namespace {

void send_taken(const segment::Taken& taken, const BatchRequest& batch, std::string_view key, http::Reply& reply) {
    if (batch.single) return send_single(reply, taken.runs[0].first);
    send_batch(reply, batch.format, key, {taken.runs.data(), taken.size});
}

}  // namespace

bool SegmentEndpoint::try_answer(const Call& call, http::Reply& reply) {
    const std::string_view path = call.request.path;
    if (service_ == nullptr) {
        send_problem(reply, errc::mode_disabled, "segment mode is switched off on this server", path);
        return true;
    }
    const Result<std::string_view> key = decode_key(call.tail);
    if (!key) {
        send_problem(reply, key.error().code, key.error().detail, path);
        return true;
    }
    const Result<BatchRequest> batch = parse_batch(call.request.query, max_batch_);
    if (!batch) {
        send_problem(reply, batch.error().code, batch.error().detail, path);
        return true;
    }
    segment::Taken taken;
    if (service_->try_take(*key, batch->count, taken)) {
        send_taken(taken, *batch, *key, reply);
        return true;
    }
    // Only a key that is not known yet can be an invalid one.
    if (const Result<void> valid = validate_key(*key); !valid) {
        send_problem(reply, valid.error().code, valid.error().detail, path);
        return true;
    }
    return false;
}

awaitable<void> SegmentEndpoint::answer(Call call, http::Reply& reply) {
    const Result<BatchRequest> batch = parse_batch(call.request.query, max_batch_);
    const std::string key(*decode_key(call.tail));
    const Result<segment::Taken> taken = co_await service_->take(key, batch->count);
    if (taken) {
        send_taken(*taken, *batch, key, reply);
    } else {
        send_problem(reply, taken.error().code, taken.error().detail, call.request.path);
    }
}

}  // namespace frond::api
