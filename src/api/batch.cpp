#include "api/batch.hpp"

#include "base/json_text.hpp"
#include "http/target.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <limits>
#include <optional>

namespace frond::api {
namespace {

constexpr std::string_view no_store = "Cache-Control: no-store\r\n";
// The text of a batch is put together in memory of its own for each thread; a rare huge one is not kept.
constexpr std::size_t scratch_kept = 64 * 1024;

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t max_batch) {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > max_batch) {
        return Error(errc::invalid_count, fmt::format("count must be a whole number from 1 to {}", max_batch));
    }
    return count;
}

Result<Format> parse_format(std::string_view text) {
    if (text == "text") return Format::text;
    if (text == "json") return Format::json;
    if (text == "ranges") return Format::ranges;
    return Error(errc::invalid_format, "format must be text, json or ranges");
}

void append_number(std::string& out, std::int64_t number) {
    char digits[std::numeric_limits<std::int64_t>::digits10 + 2];
    const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
    out.append(digits, end);
}

void append_text(std::string& out, std::span<const segment::Run> runs) {
    for (const segment::Run& run : runs) {
        for (std::int64_t i = 0; i < run.count; ++i) {
            append_number(out, run.first + i * run.delta);
            out += '\n';
        }
    }
}

// JSON carries IDs as strings: JavaScript's numbers lose digits past 2^53.
void append_ids(std::string& out, std::span<const segment::Run> runs) {
    out += "\"ids\":[";
    std::string_view comma;
    for (const segment::Run& run : runs) {
        for (std::int64_t i = 0; i < run.count; ++i) {
            out += comma;
            out += '"';
            append_number(out, run.first + i * run.delta);
            out += '"';
            comma = ",";
        }
    }
    out += "]}\n";
}

void append_ranges(std::string& out, std::span<const segment::Run> runs) {
    out += "\"ranges\":[";
    std::string_view comma;
    for (const segment::Run& run : runs) {
        fmt::format_to(std::back_inserter(out), R"({}{{"first":"{}","last":"{}","delta":"{}"}})", comma, run.first,
                       run.last(), run.delta);
        comma = ",";
    }
    out += "]}\n";
}

}  // namespace

Result<BatchRequest> parse_batch(std::string_view query, std::uint64_t max_batch) {
    BatchRequest batch;
    if (query.empty()) return batch;

    thread_local std::string scratch;
    const auto count = http::find_parameter(query, "count", scratch);
    if (!count) return count.error();
    if (*count) {
        const Result<std::uint64_t> parsed = parse_count(**count, max_batch);
        if (!parsed) return parsed.error();
        batch.count = *parsed;
        batch.single = false;
    }
    const auto format = http::find_parameter(query, "format", scratch);
    if (!format) return format.error();
    if (*format) {
        const Result<Format> parsed = parse_format(**format);
        if (!parsed) return parsed.error();
        batch.format = *parsed;
        batch.single = false;
    }
    return batch;
}

void send_batch(http::Reply& reply, Format format, std::string_view key, std::span<const segment::Run> runs) {
    thread_local std::string out;
    out.clear();
    if (format == Format::text) {
        append_text(out, runs);
        reply.send(200, "text/plain;charset=UTF-8", out, no_store);
    } else {
        out += "{\"key\":";
        append_json_string(out, key);
        out += ',';
        if (format == Format::json) {
            append_ids(out, runs);
        } else {
            append_ranges(out, runs);
        }
        reply.send(200, "application/json", out, no_store);
    }
    if (out.capacity() > scratch_kept) out = std::string();
}

void send_single(http::Reply& reply, std::int64_t id) {
    char digits[std::numeric_limits<std::int64_t>::digits10 + 2];
    const auto end = std::to_chars(digits, digits + sizeof(digits), id).ptr;
    reply.send_id({digits, static_cast<std::size_t>(end - digits)});
}

}  // namespace frond::api
