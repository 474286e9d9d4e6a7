// Reads the request line and the header block with Beast's incremental parser and keeps only what a Request needs, as
// positions in the caller's buffer: nothing is copied or allocated. Pure; not thread-safe.
#pragma once

#include "http/limits.hpp"
#include "http/types.hpp"

#include <frond/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frond::http {

// A piece of a buffer, independent of where the buffer lies.
struct Span {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;

    [[nodiscard]] std::string_view in(const char* buffer) const noexcept { return {buffer + offset, length}; }
};

// What the header block said. Spans count from the request's first byte.
struct RequestHead {
    Method method = Method::other;
    bool http_1_0 = false;
    bool keep_alive = true;
    bool chunked = false;
    bool expects_continue = false;
    std::size_t size = 0;  // with the blank line
    std::uint64_t content_length = 0;
    Span target;
    Span path;
    Span query;
    Span authorization;
    Span content_type;
    Span accept;
};

// Why a request cannot be answered by an endpoint. `detail` is a literal.
struct Refusal {
    errc code = errc::bad_request;
    std::string_view detail;
};

enum class Progress : std::uint8_t { need_more, complete, refused };

// Tries to read a header block that begins at data[0]; bytes after it are left alone. The answer depends on the bytes
// alone, not on how they arrived: each try begins anew. Fills `head` (complete) or `refusal` (refused). Refuses what
// could be understood differently by a proxy: two framings, folded lines, bare line feeds, not exactly one Host.
[[nodiscard]] Progress read_head(std::string_view data, const Limits& limits, RequestHead& head, Refusal& refusal);

}  // namespace frond::http
