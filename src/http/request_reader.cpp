#include "http/request_reader.hpp"

#include <cstring>

namespace frond::http {

std::size_t empty_lines(std::string_view data) noexcept {
    std::size_t n = 0;
    while (data.substr(n).starts_with("\r\n")) n += 2;
    return n;
}

Progress RequestReader::advance(char* data, std::size_t& size) {
    if (!has_head_) {
        const Progress progress = advance_head({data, size});
        if (progress != Progress::complete) return progress;
        has_head_ = true;
        begin_body();
    }
    if (chunks_) return advance_chunks(data, size);
    return size >= length() ? Progress::complete : Progress::need_more;
}

Progress RequestReader::advance_head(std::string_view data) {
    if (is_remembered(data)) {
        looked_at_ = data.size();
        head_ = remembered_head_;
        return Progress::complete;
    }
    // A lone return may be half of an empty line.
    if (data.empty() || data == "\r") return Progress::need_more;
    // Each attempt begins anew, so that nothing depends on how the bytes arrived; to keep a client that sends them
    // one by one from making that expensive, there is one attempt a line.
    const bool has_new_line = data.find('\n', looked_at_) != std::string_view::npos;
    if (looked_at_ != 0 && !has_new_line && data.size() < limits_.header_limit) return Progress::need_more;
    looked_at_ = data.size();
    const Progress progress = read_head(data, limits_, head_, refusal_);
    if (progress == Progress::complete) remember(data.substr(0, head_.size));
    return progress;
}

bool RequestReader::is_remembered(std::string_view data) const noexcept {
    return remembered_size_ != 0 && data.size() >= remembered_size_ &&
           std::memcmp(data.data(), remembered_block_.data(), remembered_size_) == 0;
}

void RequestReader::remember(std::string_view block) noexcept {
    if (block.size() > longest_remembered) return;
    std::memcpy(remembered_block_.data(), block.data(), block.size());
    remembered_head_ = head_;
    remembered_size_ = block.size();
}

void RequestReader::begin_body() {
    if (head_.chunked) {
        chunks_.emplace(limits_.body_limit, limits_.header_limit);
    } else {
        body_size_ = static_cast<std::size_t>(head_.content_length);
    }
}

Progress RequestReader::advance_chunks(char* data, std::size_t& size) {
    std::size_t read = length();
    std::size_t body_end = read;
    const auto status = chunks_->decode(data, size, read, body_end);
    body_size_ = body_end - head_.size;
    std::memmove(data + body_end, data + read, size - read);
    size -= read - body_end;
    switch (status) {
        case ChunkDecoder::Status::need_more:
            return Progress::need_more;
        case ChunkDecoder::Status::done:
            return Progress::complete;
        case ChunkDecoder::Status::broken:
            return refuse(errc::bad_request, "malformed chunked body");
        case ChunkDecoder::Status::body_too_large:
            return refuse(errc::payload_too_large, "the body is too large");
        case ChunkDecoder::Status::extra_too_large:
            return refuse(errc::headers_too_large, "the chunked body's extensions and trailers are too large");
    }
    return Progress::refused;
}

Progress RequestReader::refuse(errc code, std::string_view detail) {
    refusal_ = {code, detail};
    return Progress::refused;
}

void RequestReader::fill(Request& request, const char* data) const noexcept {
    request.method = head_.method;
    request.target = head_.target.in(data);
    request.path = head_.path.in(data);
    request.query = head_.query.in(data);
    request.authorization = head_.authorization.in(data);
    request.content_type = head_.content_type.in(data);
    request.accept = head_.accept.in(data);
    request.body = {data + head_.size, body_size_};
}

bool RequestReader::take_continue(std::size_t size) noexcept {
    if (!has_head_ || has_continued_ || !head_.expects_continue || size > head_.size) return false;
    has_continued_ = true;
    return true;
}

void RequestReader::reset() noexcept {
    chunks_.reset();
    looked_at_ = 0;
    body_size_ = 0;
    has_head_ = false;
    has_continued_ = false;
}

}  // namespace frond::http
