#include "http/workspace.hpp"

#include <algorithm>
#include <cstring>

namespace frond::http {

namespace {

constexpr std::size_t usual_input = std::size_t{16} * 1024;
constexpr std::size_t kept_output = std::size_t{64} * 1024;
constexpr std::size_t kept_workspaces = 32;

}  // namespace

InputBuffer::InputBuffer(const Limits& limits)
    : usual_capacity_(std::max(usual_input, limits.header_limit + 1)),
      max_capacity_(std::max(usual_capacity_, limits.header_limit + limits.body_limit + 1)),
      capacity_(usual_capacity_),
      bytes_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

boost::asio::mutable_buffer InputBuffer::space() {
    if (empty()) begin_ = end_ = 0;
    // Moving a few bytes now is cheaper than many short reads.
    if (begin_ > 0 && capacity_ - end_ < capacity_ / 4) move_to_front();
    if (end_ == capacity_) grow();
    return boost::asio::mutable_buffer(bytes_.get() + end_, capacity_ - end_);
}

void InputBuffer::move_to_front() noexcept {
    std::memmove(bytes_.get(), data(), size());
    end_ = size();
    begin_ = 0;
}

// Doubles, so that a client has to send a body before it is given the memory for it. A request that fits the limits
// fits max_capacity_ with a byte to spare.
void InputBuffer::grow() {
    const std::size_t capacity = std::min(capacity_ * 2, max_capacity_);
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(bytes.get(), data(), size());
    end_ = size();
    begin_ = 0;
    bytes_ = std::move(bytes);
    capacity_ = capacity;
}

void InputBuffer::reset() {
    begin_ = end_ = 0;
    if (capacity_ == usual_capacity_) return;
    bytes_ = std::make_unique_for_overwrite<char[]>(usual_capacity_);
    capacity_ = usual_capacity_;
}

void OutputBuffer::reset() {
    written_ = 0;
    if (text_.capacity() > kept_output) {
        std::string().swap(text_);
    } else {
        text_.clear();
    }
}

std::unique_ptr<Workspace> WorkspacePool::acquire() {
    if (free_.empty()) return std::make_unique<Workspace>(limits_);
    auto workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
}

void WorkspacePool::release(std::unique_ptr<Workspace> workspace) {
    if (free_.size() >= kept_workspaces) return;
    workspace->input.reset();
    workspace->output.reset();
    workspace->reader.reset();
    free_.push_back(std::move(workspace));
}

}  // namespace frond::http
