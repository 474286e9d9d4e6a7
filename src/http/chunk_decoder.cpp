#include "http/chunk_decoder.hpp"

#include "http/text.hpp"

#include <algorithm>
#include <cstring>

namespace frond::http {

ChunkDecoder::Status ChunkDecoder::decode(char* data, std::size_t size, std::size_t& read, std::size_t& body_end) {
    while (read < size) {
        if (state_ == State::data) {
            copy_data(data, size, read, body_end);
            continue;
        }
        const Status status = take(data[read++]);
        if (status != Status::need_more) return status;
    }
    return Status::need_more;
}

void ChunkDecoder::copy_data(char* data, std::size_t size, std::size_t& read, std::size_t& body_end) {
    const std::size_t n = std::min(chunk_, size - read);
    std::memmove(data + body_end, data + read, n);
    read += n;
    body_end += n;
    chunk_ -= n;
    if (chunk_ == 0) state_ = State::data_return;
}

ChunkDecoder::Status ChunkDecoder::take(char c) {
    switch (state_) {
        case State::size_first_digit:
        case State::size_digits:
            return take_size(c);
        case State::extension:
            return take_extra(c, State::size_line_feed);
        case State::size_line_feed:
            return expect(c, '\n', chunk_ == 0 ? State::trailer_start : State::data);
        case State::data_return:
            return expect(c, '\r', State::data_line_feed);
        case State::data_line_feed:
            return expect(c, '\n', State::size_first_digit);
        case State::trailer_start:
        case State::trailer:
            return take_trailer(c);
        case State::trailer_line_feed:
            return expect(c, '\n', State::trailer_start);
        case State::end_line_feed:
            return c == '\n' ? Status::done : Status::broken;
        case State::data:
            break;  // copy_data() has it
    }
    return Status::broken;
}

ChunkDecoder::Status ChunkDecoder::take_size(char c) {
    const int digit = hex_value(c);
    if (digit >= 0) {
        if (state_ == State::size_first_digit) chunk_ = 0;
        state_ = State::size_digits;
        // Checked at each digit, so that the number never gets near its end.
        chunk_ = chunk_ * 16 + static_cast<std::size_t>(digit);
        return chunk_ > body_room_ ? Status::body_too_large : Status::need_more;
    }
    if (state_ == State::size_first_digit) return Status::broken;
    body_room_ -= chunk_;
    if (c == ';' || c == ' ' || c == '\t') {
        state_ = State::extension;
        return Status::need_more;
    }
    return expect(c, '\r', State::size_line_feed);
}

ChunkDecoder::Status ChunkDecoder::take_trailer(char c) {
    if (state_ == State::trailer_start && c == '\r') {
        state_ = State::end_line_feed;
        return Status::need_more;
    }
    state_ = State::trailer;
    return take_extra(c, State::trailer_line_feed);
}

ChunkDecoder::Status ChunkDecoder::take_extra(char c, State after_return) {
    if (c == '\r') {
        state_ = after_return;
        return Status::need_more;
    }
    const bool control = (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
    if (control) return Status::broken;
    if (extra_room_ == 0) return Status::extra_too_large;
    --extra_room_;
    return Status::need_more;
}

ChunkDecoder::Status ChunkDecoder::expect(char c, char wanted, State next) {
    state_ = next;
    return c == wanted ? Status::need_more : Status::broken;
}

}  // namespace frond::http
