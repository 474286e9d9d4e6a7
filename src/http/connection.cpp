#include "http/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/socket_base.hpp>

#include <spdlog/spdlog.h>

#include <cstring>
#include <exception>
#include <utility>

namespace frond::http {

namespace {

namespace asio = boost::asio;

// Replies are written before more are made once they are this long, so that a client that never reads costs one
// bounded buffer.
constexpr std::size_t output_bound = std::size_t{64} * 1024;
// How much a client may go on sending after the last reply and still be sure to read it.
constexpr std::size_t linger_bound = std::size_t{1024} * 1024;

bool would_block(const ErrorCode& error) {
    return error == asio::error::would_block || error == asio::error::try_again;
}

}  // namespace

Connection::Connection(Socket socket, OpenSlot slot, IoThread& thread)
    : thread_(thread), slot_(std::move(slot)), socket_(std::move(socket)) {
    thread_.add(*this);
}

Step Connection::advance() {
    for (;;) {
        if (!socket_.is_open()) return Step::nothing;
        Wait wait;
        switch (phase_) {
            case Phase::start:
                wait = wait_for_request();
                break;
            case Phase::read:
                wait = read();
                break;
            case Phase::answer:
                wait = answer();
                break;
            case Phase::write:
                wait = write();
                break;
            case Phase::handle:
                wait = Step::handler;
                break;
            case Phase::linger:
                wait = linger();
                break;
        }
        if (wait) return *wait;
    }
}

// Between requests the buffers go back to the thread; within one they stay, and the request's own deadline goes on.
Connection::Wait Connection::wait_for_request() {
    phase_ = Phase::read;
    if (!work_ || (work_->input.empty() && !work_->reader.begun())) {
        release_workspace();
        set_deadline(thread_.idle_deadline());
    } else {
        if (request_deadline_ == 0) request_deadline_ = thread_.request_deadline();
        set_deadline(request_deadline_);
    }
    return Step::bytes;
}

asio::mutable_buffer Connection::receive_buffer() {
    if (phase_ == Phase::linger) return thread_.waste();
    return work_ ? work_->input.space() : asio::buffer(landing_);
}

void Connection::received(const ErrorCode& error, std::size_t n) noexcept {
    receive_error_ = error;
    received_ = n;
}

Connection::Wait Connection::read() {
    if (receive_error_ && !read_at_last_moment()) return read_failed();
    if (work_) {
        work_->input.commit(received_);
    } else {
        take_landed();
    }
    phase_ = Phase::answer;
    return {};
}

// A request that came while its connection was being given up for idle still counts.
bool Connection::read_at_last_moment() {
    if (work_ || receive_error_ != asio::error::operation_aborted) return false;
    received_ = socket_.read_some(asio::buffer(landing_), receive_error_);
    return !receive_error_;
}

void Connection::take_landed() {
    expired_ = false;
    work_ = thread_.workspaces().acquire();
    InputBuffer& input = work_->input;
    std::memcpy(input.space().data(), landing_.data(), received_);
    input.commit(received_);
    if (received_ < landing_.size()) return;
    // There may be more. If not, or if this fails, the next wait will tell.
    ErrorCode ignored;
    input.commit(socket_.read_some(input.space(), ignored));
}

Connection::Wait Connection::read_failed() {
    if (!work_) return Step::nothing;
    if (receive_error_ == asio::error::eof) {
        peer_done_ = true;
        refuse(errc::bad_request, "the request ended before it was complete");
        return {};
    }
    if (!expired_) return Step::nothing;
    refuse(errc::request_timeout, "the request was not complete in time");
    return {};
}

Connection::Wait Connection::answer() {
    set_deadline(0);
    work_->request.now_ms = slot_.handler().batch_time_ms();
    while (answer_next()) {
        if (work_->output.text().size() >= output_bound) {
            continue_after_write(Phase::answer);
            break;
        }
    }
    return {};
}

// Answers one request; false when something else comes next.
bool Connection::answer_next() {
    InputBuffer& input = work_->input;
    RequestReader& reader = work_->reader;
    if (!reader.begun()) input.consume(empty_lines({input.data(), input.size()}));
    std::size_t size = input.size();
    const Progress progress = reader.advance(input.data(), size);
    input.truncate(size);
    if (progress == Progress::complete) {
        answer_complete();
        return phase_ == Phase::answer;
    }
    if (progress == Progress::refused) {
        refuse(reader.refusal().code, reader.refusal().detail);
    } else if (expired_ && !input.empty()) {
        refuse(errc::request_timeout, "the request was not complete in time");
    } else {
        if (reader.take_continue(input.size())) work_->output.text().append("HTTP/1.1 100 Continue\r\n\r\n");
        continue_after_write(Phase::read);
    }
    return false;
}

void Connection::answer_complete() {
    const RequestReader& reader = work_->reader;
    reader.fill(work_->request, work_->input.data());
    // A drain ends the connection after the last request that has arrived, not in the middle of a pipeline.
    const bool is_last = reader.length() == work_->input.size();
    const bool draining = is_last && thread_.shared().draining.load(std::memory_order_relaxed);
    prepare_reply(reader.head().keep_alive && !draining);
    try {
        if (slot_.handler().try_handle(work_->request, work_->reply)) {
            finish_request();
        } else {
            continue_after_write(Phase::handle);
        }
    } catch (const std::exception& error) {
        handler_failed(error.what());
    }
}

awaitable<void> Connection::handle() { return slot_.handler().handle(work_->request, work_->reply); }

void Connection::handled() {
    phase_ = Phase::answer;
    finish_request();
}

void Connection::handler_failed(std::string_view what) {
    spdlog::error("a request failed: {}", what);
    work_->output.text().resize(work_->reply_begin);
    refuse(errc::internal, {});
}

void Connection::finish_request() {
    if (work_->reply.status == 0) return handler_failed("no reply was made");
    ++answered_;
    request_deadline_ = 0;
    work_->input.consume(work_->reader.length());
    work_->reader.reset();
    if (!work_->reply.keep_alive) continue_after_write(Phase::linger);
}

// The last reply of this connection.
void Connection::refuse(errc code, std::string_view detail) {
    ++answered_;
    if (code == errc::request_timeout) thread_.shared().metrics.timeouts.add();
    prepare_reply(false);
    slot_.handler().refuse(code, detail, work_->reply);
    continue_after_write(Phase::linger);
}

void Connection::prepare_reply(bool keep_alive) {
    const RequestHead& head = work_->reader.head();
    Reply& reply = work_->reply;
    work_->reply_begin = work_->output.text().size();
    reply.out = &work_->output.text();
    reply.keep_alive = keep_alive;
    // What is known of a request that could not be read; the head of the one before it does not count.
    const bool is_known = work_->reader.begun();
    reply.http_1_0 = is_known && head.http_1_0;
    reply.head = is_known && head.method == Method::head;
    reply.date = thread_.date();
    reply.status = 0;
}

void Connection::continue_after_write(Phase next) noexcept {
    phase_ = Phase::write;
    after_write_ = next;
}

Connection::Wait Connection::write() {
    if (answered_ > 0) thread_.shared().metrics.requests.add(std::exchange(answered_, 0));
    OutputBuffer& output = work_->output;
    while (!output.empty()) {
        ErrorCode error;
        output.written(socket_.write_some(output.unwritten(), error));
        if (!error) continue;
        if (!would_block(error)) return Step::nothing;
        if (blocked_ && expired_) {
            abort();
            return Step::nothing;
        }
        if (!blocked_) set_deadline(thread_.request_deadline());
        blocked_ = true;
        return Step::room;
    }
    blocked_ = false;
    output.reset();
    work_->reply_begin = 0;
    if (after_write_ == Phase::read) return wait_for_request();
    if (after_write_ == Phase::linger) return begin_linger();
    set_deadline(0);
    phase_ = after_write_;
    return {};
}

// Closing a socket with unread bytes resets the connection, and the client may lose a reply that it has not read: so
// say that no more will come, and wait a little for the client to close.
Connection::Wait Connection::begin_linger() {
    release_workspace();
    if (peer_done_) return Step::nothing;
    ErrorCode error;
    socket_.shutdown(Socket::shutdown_send, error);
    if (error) return Step::nothing;
    set_deadline(thread_.linger_deadline());
    phase_ = Phase::linger;
    return Step::bytes;
}

Connection::Wait Connection::linger() {
    dropped_ += received_;
    if (receive_error_ || dropped_ > linger_bound) return Step::nothing;
    return Step::bytes;
}

void Connection::release_workspace() {
    if (work_) thread_.workspaces().release(std::move(work_));
}

void Connection::set_deadline(Tick deadline) noexcept {
    deadline_ = deadline;
    if (deadline != 0) expired_ = false;
}

void Connection::expire_if_due(Tick now) {
    if (deadline_ == 0 || now < deadline_) return;
    deadline_ = 0;
    expired_ = true;
    ErrorCode ignored;
    socket_.cancel(ignored);
}

void Connection::hurry(Tick deadline) noexcept {
    const bool idle = phase_ == Phase::read && !work_;
    if (idle && deadline < deadline_) deadline_ = deadline;
}

// Drops what the client has not taken, together with the kernel's memory for it.
void Connection::abort() {
    thread_.shared().metrics.timeouts.add();
    ErrorCode ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    socket_.close(ignored);
}

void Connection::close() {
    ErrorCode ignored;
    socket_.close(ignored);
}

awaitable<void> serve(Socket socket, OpenSlot slot, IoThread& thread) {
    Connection connection(std::move(socket), std::move(slot), thread);
    for (;;) {
        const Step step = connection.advance();
        if (step == Step::nothing) co_return;
        if (step == Step::handler) {
            bool failed = false;
            try {
                co_await connection.handle();
            } catch (const std::exception& error) {
                failed = true;
                connection.handler_failed(error.what());
            }
            if (!failed) connection.handled();
            continue;
        }
        if (step == Step::room) {
            auto room = connection.socket().async_wait(Socket::wait_write, asio::as_tuple(asio::deferred));
            co_await std::move(room);
            continue;
        }
        auto bytes = connection.socket().async_read_some(connection.receive_buffer(), asio::as_tuple(asio::deferred));
        const auto [error, n] = co_await std::move(bytes);
        connection.received(error, n);
    }
}

}  // namespace frond::http
