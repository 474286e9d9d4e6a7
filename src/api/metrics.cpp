#include "api/metrics.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace frond::api {
namespace {

// Writes families one after another: a HELP and a TYPE line, then their samples.
class TextWriter {
public:
    void family(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        fmt::format_to(std::back_inserter(out_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    }
    // `labels` as they stand between the braces; empty for none.
    template <class Number>
    void sample(Number value, std::string_view labels = {}) {
        if (labels.empty()) {
            fmt::format_to(std::back_inserter(out_), "{} {}\n", name_, value);
        } else {
            fmt::format_to(std::back_inserter(out_), "{}{{{}}} {}\n", name_, labels, value);
        }
    }
    void counter(std::string_view name, std::string_view help, const Counter& counter) {
        family(name, "counter", help);
        sample(counter.value());
    }
    void gauge(std::string_view name, std::string_view help, std::int64_t value) {
        family(name, "gauge", help);
        sample(value);
    }
    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    std::string out_;
    std::string_view name_;
};

void write_requests(TextWriter& writer, const MetricSources& sources) {
    // The same path may stand on both ports.
    std::map<std::pair<std::string, int>, std::uint64_t> sums;
    const auto add = [&sums](const std::string& route, const StatusCounts& counts) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (const std::uint64_t value = counts[i].value(); value > 0)
                sums[{route, static_cast<int>(i) + 1}] += value;
        }
    };
    for (const Dispatcher* dispatcher : sources.dispatchers) {
        for (const Dispatcher::Route& route : dispatcher->routes()) add(route.pattern, *route.counts);
        add("other", dispatcher->other_counts());
    }
    writer.family("frond_http_requests_total", "counter", "Requests answered, by route and class of status.");
    for (const auto& [label, value] : sums) {
        writer.sample(value, fmt::format(R"(route="{}",code="{}xx")", label.first, label.second));
    }
}

void write_http(TextWriter& writer, const MetricSources& sources) {
    write_requests(writer, sources);
    const http::ServerMetrics& http = sources.http;
    writer.gauge("frond_http_connections", "Connections open now.", http.connections_open.value());
    writer.counter("frond_http_connections_accepted_total", "Connections accepted.", http.connections_accepted);
    writer.counter("frond_http_connections_refused_total", "Connections closed at once, over server.max_connections.",
                   http.connections_refused);
    writer.counter("frond_http_accept_failures_total", "Connections not accepted for want of descriptors or memory.",
                   http.accept_failures);
    writer.counter("frond_http_timeouts_total", "Connections closed because the client was too slow.", http.timeouts);
}

void write_ids(TextWriter& writer, const MetricSources& sources) {
    writer.family("frond_ids_issued_total", "counter", "IDs issued, by mode.");
    if (sources.segment != nullptr) writer.sample(sources.segment->ids_issued.value(), R"(mode="segment")");
    if (sources.snowflake != nullptr) writer.sample(sources.snowflake->ids_issued.value(), R"(mode="snowflake")");
    writer.family("frond_mode_ready", "gauge", "1 while the mode can issue IDs.");
    for (const ModeHealth& mode : sources.health.modes()) {
        writer.sample(mode.ready ? 1 : 0, fmt::format(R"(mode="{}")", mode.name));
    }
}

void write_segment(TextWriter& writer, const segment::SegmentMetrics& segment) {
    writer.gauge("frond_segment_store_up", "1 while the database answers.", segment.store_up.value());
    writer.gauge("frond_segment_keys", "Keys in memory.", segment.keys.value());
    writer.gauge("frond_segment_waiting", "Requests that wait for a range now.", segment.waiting.value());
    writer.counter("frond_segment_waits_total", "Requests that found no range ready.", segment.waits);
    writer.counter("frond_segment_refused_total", "Takes that ended without an ID.", segment.refused);
    writer.counter("frond_segment_refills_total", "Ranges that the database gave.", segment.refills);
    writer.counter("frond_segment_refill_failures_total", "Calls for a range that failed.", segment.refill_failures);
    writer.counter("frond_segment_went_backwards_total", "Ranges refused because the table went backwards.",
                   segment.went_backwards);
    writer.counter("frond_segment_journal_failures_total", "Records that did not reach the guard file.",
                   segment.journal_failures);
}

void write_snowflake(TextWriter& writer, const snowflake::SnowflakeMetrics& snowflake) {
    writer.gauge("frond_snowflake_worker_id", "Worker ID held, -1 for none.", snowflake.worker_id.value());
    writer.counter("frond_snowflake_waits_total", "Takes that had to wait for the clock.", snowflake.waits);
    writer.counter("frond_snowflake_refused_total", "Takes that ended without an ID.", snowflake.refused);
    writer.family("frond_snowflake_clock_steps_total", "counter", "Steps of the wall clock, by direction.");
    writer.sample(snowflake.clock_steps_back.value(), R"(direction="back")");
    writer.sample(snowflake.clock_steps_ahead.value(), R"(direction="ahead")");
    writer.gauge("frond_snowflake_clock_offset_milliseconds", "Wall clock minus the time of IDs.",
                 snowflake.clock_offset_ms.value());
    writer.gauge("frond_snowflake_watermark_milliseconds", "Highest timestamp that may be used, since the Unix epoch.",
                 snowflake.keeper.watermark_ms.value());
    writer.counter("frond_snowflake_state_file_errors_total", "Writes of the state file that failed.",
                   snowflake.keeper.state_file_errors);
}

void write_lease(TextWriter& writer, const worker::KeeperMetrics& keeper) {
    writer.gauge("frond_worker_registry_up", "1 while the registry of worker IDs answers.", keeper.registry_up.value());
    writer.gauge("frond_worker_fence_milliseconds",
                 "Highest timestamp that the registry has confirmed, since the Unix epoch; 0 for none.",
                 keeper.fence_ms.value());
    writer.gauge("frond_worker_registry_clock_offset_milliseconds", "The registry's clock minus the time of IDs.",
                 keeper.registry_offset_ms.value());
    writer.counter("frond_worker_heartbeats_total", "Writes of the record that the registry confirmed.",
                   keeper.heartbeats);
    writer.counter("frond_worker_registry_errors_total",
                   "Calls of the registry that failed or whose outcome is unknown.", keeper.registry_errors);
    writer.counter("frond_worker_leases_taken_total", "Leases begun: created, taken over or resumed.",
                   keeper.leases_taken);
    writer.counter("frond_worker_leases_lost_total", "Leases that ended because the record was no longer ours.",
                   keeper.leases_lost);
}

}  // namespace

std::string render_metrics(const MetricSources& sources) {
    TextWriter writer;
    writer.family("frond_build_info", "gauge", "1, with the version as a label.");
    writer.sample(1, fmt::format(R"(version="{}")", sources.version));
    write_ids(writer, sources);
    write_http(writer, sources);
    if (sources.segment != nullptr) write_segment(writer, *sources.segment);
    if (sources.snowflake != nullptr) write_snowflake(writer, *sources.snowflake);
    if (sources.leased) write_lease(writer, sources.snowflake->keeper);
    return writer.take();
}

bool MetricsEndpoint::try_answer(const Call&, http::Reply& reply) {
    reply.send(200, "text/plain; version=0.0.4; charset=utf-8", render_metrics(sources_));
    return true;
}

}  // namespace frond::api
