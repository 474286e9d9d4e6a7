// What a connection needs while it has something to do, and gives back when it is idle: that is what keeps ten thousand
// idle connections small. Not thread-safe: each I/O thread has its own pool.
#pragma once

#include "http/limits.hpp"
#include "http/request_reader.hpp"
#include "http/types.hpp"

#include <boost/asio/buffer.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace frond::http {

// The bytes that have been read and not yet answered. Of one size, save while a body is larger than that.
class InputBuffer {
public:
    explicit InputBuffer(const Limits& limits);

    [[nodiscard]] char* data() noexcept { return bytes_.get() + begin_; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

    // Where to read to; at least one byte long. Moves the bytes if it has to.
    [[nodiscard]] boost::asio::mutable_buffer space();
    void commit(std::size_t n) noexcept { end_ += n; }
    void consume(std::size_t n) noexcept { begin_ += n; }
    // Cuts the end off, so that `size` bytes are left.
    void truncate(std::size_t size) noexcept { end_ = begin_ + size; }
    // Empty, and of its one size again.
    void reset();

private:
    void move_to_front() noexcept;
    void grow();

    std::size_t usual_capacity_;
    std::size_t max_capacity_;
    std::size_t capacity_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::unique_ptr<char[]> bytes_;
};

// The replies that have been made and not yet written.
class OutputBuffer {
public:
    [[nodiscard]] std::string& text() noexcept { return text_; }
    [[nodiscard]] boost::asio::const_buffer unwritten() const noexcept {
        return boost::asio::const_buffer(text_.data() + written_, text_.size() - written_);
    }
    [[nodiscard]] bool empty() const noexcept { return written_ == text_.size(); }
    void written(std::size_t n) noexcept { written_ += n; }
    // Empty, and without the memory of a very long reply.
    void reset();

private:
    std::string text_;
    std::size_t written_ = 0;
};

struct Workspace {
    explicit Workspace(const Limits& limits) : input(limits), reader(limits) {}

    InputBuffer input;
    OutputBuffer output;
    RequestReader reader;
    Request request;
    Reply reply;
    std::size_t reply_begin = 0;  // where the reply begins in the output
};

// Keeps a few workspaces for the next connection that wakes up: the last one given back is taken first.
class WorkspacePool {
public:
    explicit WorkspacePool(const Limits& limits) : limits_(limits) {}

    [[nodiscard]] std::unique_ptr<Workspace> acquire();
    void release(std::unique_ptr<Workspace> workspace);

private:
    const Limits& limits_;
    std::vector<std::unique_ptr<Workspace>> free_;
};

}  // namespace frond::http
