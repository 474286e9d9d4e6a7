// Turns the bytes of a connection into requests, one at a time: header block, then the body however it is framed.
// Bytes in, verdict out: no I/O, no clock, no allocation. Not thread-safe.
//
// Clients ask the same thing again and again. What a header block means depends on its bytes alone, so the last one is
// remembered, and when the same bytes come again they are not parsed again.
#pragma once

#include "http/chunk_decoder.hpp"
#include "http/head_parser.hpp"
#include "http/limits.hpp"
#include "http/types.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace frond::http {

// Empty lines before a request are passed over (RFC 9112, 2.2): how many bytes of them `data` begins with.
[[nodiscard]] std::size_t empty_lines(std::string_view data) noexcept;

class RequestReader {
public:
    // `limits` must outlive the reader.
    explicit RequestReader(const Limits& limits) : limits_(limits) {}

    // Looks at data[0..size), everything received since the request's first byte. A chunked body is decoded in place,
    // which may take bytes out: `size` is lessened by them. After `complete` or `refused` call reset() before the next
    // request.
    Progress advance(char* data, std::size_t& size);

    // After `complete`: sets all of `request` but its time; the views point into `data`.
    void fill(Request& request, const char* data) const noexcept;
    // After `complete`: how many bytes it takes up; the next request follows.
    [[nodiscard]] std::size_t length() const noexcept { return head_.size + body_size_; }
    // After `complete`; after `refused` as far as it could be read.
    [[nodiscard]] const RequestHead& head() const noexcept { return head_; }
    // After `refused`.
    [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }

    // After `need_more`: whether the client waits for "100 Continue" before it sends its body. True once a request.
    [[nodiscard]] bool take_continue(std::size_t size) noexcept;
    // Whether a part of a request has been looked at.
    [[nodiscard]] bool begun() const noexcept { return looked_at_ > 0; }
    // Forgets the request.
    void reset() noexcept;

private:
    Progress advance_head(std::string_view data);
    [[nodiscard]] bool is_remembered(std::string_view data) const noexcept;
    void remember(std::string_view block) noexcept;
    Progress advance_chunks(char* data, std::size_t& size);
    void begin_body();
    Progress refuse(errc code, std::string_view detail);

    const Limits& limits_;
    RequestHead head_;
    Refusal refusal_;
    std::optional<ChunkDecoder> chunks_;
    std::size_t looked_at_ = 0;  // bytes that the last attempt at the header block saw
    std::size_t body_size_ = 0;  // of a chunked body: what has been decoded
    bool has_head_ = false;
    bool has_continued_ = false;

    static constexpr std::size_t longest_remembered = 1024;
    std::size_t remembered_size_ = 0;  // 0: nothing yet
    RequestHead remembered_head_;
    std::array<char, longest_remembered> remembered_block_;
};

}  // namespace frond::http
