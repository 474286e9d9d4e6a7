// Decodes a chunked body in place, byte by byte, so that it never asks for the same bytes twice. Extensions and
// trailers are read over. Pure; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace frond::http {

class ChunkDecoder {
public:
    enum class Status : std::uint8_t {
        need_more,
        done,
        broken,          // not a chunked body
        body_too_large,  // the chunks together are over the limit
        extra_too_large  // extensions and trailers together are over theirs
    };

    // Both limits in bytes.
    ChunkDecoder(std::size_t body_limit, std::size_t extra_limit) : body_room_(body_limit), extra_room_(extra_limit) {}

    // Decodes data[read..size) and writes the body's bytes to data[body_end..), which must not lie behind `read`. Both
    // positions are moved on. Stops at the first byte after the body.
    Status decode(char* data, std::size_t size, std::size_t& read, std::size_t& body_end);

private:
    enum class State : std::uint8_t {
        size_first_digit,
        size_digits,
        extension,
        size_line_feed,
        data,
        data_return,
        data_line_feed,
        trailer_start,
        trailer,
        trailer_line_feed,
        end_line_feed
    };

    Status take(char c);
    Status take_size(char c);
    Status take_trailer(char c);
    Status take_extra(char c, State after_return);
    Status expect(char c, char wanted, State next);
    void copy_data(char* data, std::size_t size, std::size_t& read, std::size_t& body_end);

    State state_ = State::size_first_digit;
    std::size_t chunk_ = 0;  // size of the chunk, then what is left of it
    std::size_t body_room_;
    std::size_t extra_room_;
};

}  // namespace frond::http
