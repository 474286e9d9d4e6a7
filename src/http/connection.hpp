// One client: reads, hands requests to the handler, writes. A state machine over a non-blocking socket: advance() does
// what can be done without waiting and says what to wait for; serve() is the coroutine that waits. Lives on one I/O
// thread from beginning to end and is used on no other.
#pragma once

#include "http/io_thread.hpp"
#include "http/shared.hpp"
#include "http/sockets.hpp"
#include "http/workspace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace frond::http {

// What a connection waits for: bytes to read, room to write, the handler; or nothing any more.
enum class Step : std::uint8_t { bytes, room, handler, nothing };

class Connection : public ConnectionHook {
public:
    // `socket` is connected and does not block.
    Connection(Socket socket, OpenSlot slot, IoThread& thread);
    ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Goes as far as it can. After Step::nothing the connection is to be destroyed.
    [[nodiscard]] Step advance();

    // After Step::bytes: where to read to, and what to call with the outcome.
    [[nodiscard]] boost::asio::mutable_buffer receive_buffer();
    void received(const ErrorCode& error, std::size_t n) noexcept;

    // After Step::handler: the wait, and what to call when it has ended, well or by an exception.
    [[nodiscard]] awaitable<void> handle();
    void handled();
    void handler_failed(std::string_view what);

    [[nodiscard]] Socket& socket() noexcept { return socket_; }

    // Called by the thread's sweep: ends a wait whose time is over. advance() then finds out what was waited for.
    void expire_if_due(Tick now);
    // If idle: be done by `deadline`.
    void hurry(Tick deadline) noexcept;
    // Closes the socket; advance() will say Step::nothing.
    void close();

private:
    enum class Phase : std::uint8_t { start, read, answer, write, handle, linger };
    // What a phase says: go on with the next phase, or wait.
    using Wait = std::optional<Step>;

    Wait read();
    Wait read_failed();
    Wait answer();
    Wait write();
    Wait wait_for_request();
    Wait begin_linger();
    Wait linger();

    bool read_at_last_moment();
    void take_landed();
    bool answer_next();
    void answer_complete();
    void finish_request();
    void refuse(errc code, std::string_view detail);
    void prepare_reply(bool keep_alive);
    void continue_after_write(Phase next) noexcept;
    void release_workspace();
    void set_deadline(Tick deadline) noexcept;
    void abort();

    IoThread& thread_;
    OpenSlot slot_;
    Socket socket_;
    std::unique_ptr<Workspace> work_;  // none while idle
    ErrorCode receive_error_;
    std::size_t received_ = 0;
    Tick deadline_ = 0;           // of what is being waited for; 0: none
    Tick request_deadline_ = 0;   // of the request that is being read; 0: none has begun
    std::size_t dropped_ = 0;     // bytes read and dropped while lingering
    std::uint32_t answered_ = 0;  // not yet counted in the metrics
    Phase phase_ = Phase::start;
    Phase after_write_ = Phase::read;
    bool expired_ = false;    // the deadline has passed
    bool blocked_ = false;    // the client does not take its replies as fast as they are written
    bool peer_done_ = false;  // the client has said that it will send no more
    // An idle connection reads to here: most requests fit, and waiting for the socket to become readable without
    // reading would cost a system call more for each.
    std::array<char, 384> landing_;
};

// Serves a connected client to its end.
awaitable<void> serve(Socket socket, OpenSlot slot, IoThread& thread);

}  // namespace frond::http
