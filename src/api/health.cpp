#include "api/health.hpp"

#include "api/problem.hpp"
#include "http/target.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace frond::api {
namespace {

constexpr std::string_view text = "text/plain;charset=UTF-8";
constexpr std::string_view no_store = "Cache-Control: no-store\r\n";

void send_state(bool good, http::Reply& reply) {
    reply.send(good ? 200 : 503, text, good ? "ok\n" : "not ready\n", no_store);
}

bool wants_verbose(std::string_view query) {
    while (const auto parameter = http::next_parameter(query)) {
        if (parameter->name == "verbose") return true;
    }
    return false;
}

std::string line_of(const ModeHealth& mode) {
    const std::string_view state = mode.ready ? "ok" : "not ready";
    if (mode.reason.empty()) return fmt::format("{}: {}\n", mode.name, state);
    return fmt::format("{}: {}: {}\n", mode.name, state, mode.reason);
}

}  // namespace

bool Health::started() const {
    if (started_.load(std::memory_order_acquire)) return true;
    const bool now = (segment_ == nullptr || segment_->started()) && (snowflake_ == nullptr || snowflake_->started());
    if (now) started_.store(true, std::memory_order_release);
    return now;
}

bool Health::ready() const {
    if (draining() || !started()) return false;
    return (segment_ != nullptr && segment_->status().ready) || (snowflake_ != nullptr && snowflake_->status().ready);
}

std::vector<ModeHealth> Health::modes() const {
    std::vector<ModeHealth> modes;
    if (segment_ != nullptr) {
        const segment::SegmentStatus status = segment_->status();
        modes.push_back({"segment", status.ready, status.reason});
    }
    if (snowflake_ != nullptr) {
        const snowflake::Status status = snowflake_->status();
        modes.push_back({"snowflake", status.ready, status.reason});
    }
    return modes;
}

bool LiveEndpoint::try_answer(const Call&, http::Reply& reply) {
    reply.send(200, text, "ok\n", no_store);
    return true;
}

bool StartupEndpoint::try_answer(const Call&, http::Reply& reply) {
    send_state(health_.started(), reply);
    return true;
}

bool ReadyEndpoint::try_answer(const Call& call, http::Reply& reply) {
    if (!call.tail.empty()) {
        answer_mode(call, reply);
        return true;
    }
    const bool ready = health_.ready();
    if (!wants_verbose(call.request.query)) {
        send_state(ready, reply);
        return true;
    }
    std::string body = ready ? "ready\n" : "not ready\n";
    if (health_.draining()) body += "draining: the server is stopping\n";
    if (!health_.started()) body += "starting: start-up has not finished\n";
    for (const ModeHealth& mode : health_.modes()) body += line_of(mode);
    reply.send(ready ? 200 : 503, text, body, no_store);
    return true;
}

void ReadyEndpoint::answer_mode(const Call& call, http::Reply& reply) const {
    const std::vector<ModeHealth> modes = health_.modes();
    const auto mode =
        std::find_if(modes.begin(), modes.end(), [&](const ModeHealth& m) { return m.name == call.tail; });
    if (mode == modes.end()) {
        const bool known = call.tail == "segment" || call.tail == "snowflake";
        return send_problem(reply, known ? errc::mode_disabled : errc::not_found, "no such mode is switched on",
                            call.request.path);
    }
    const bool ready = mode->ready && !health_.draining();
    if (!wants_verbose(call.request.query)) return send_state(ready, reply);
    reply.send(ready ? 200 : 503, text, line_of(*mode), no_store);
}

}  // namespace frond::api
