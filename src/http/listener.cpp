#include "http/listener.hpp"

#include "http/address.hpp"
#include "http/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <spdlog/spdlog.h>

namespace frond::http {

namespace {

namespace asio = boost::asio;

// Then the connections that are open get a turn.
constexpr std::size_t accepted_at_once = 64;
// Until descriptors or memory may be free again.
constexpr std::chrono::milliseconds pause_time{100};

bool is_out_of_resources(const ErrorCode& error) {
    return error == asio::error::no_descriptors || error == boost::system::errc::too_many_files_open_in_system ||
           error == asio::error::no_buffer_space || error == asio::error::no_memory;
}

}  // namespace

Listener::Listener(Acceptor acceptor, ListenerGroup& group, IoThread& thread)
    : acceptor_(std::move(acceptor)), pause_(thread.context()), group_(group), thread_(thread) {}

void Listener::start() { wait(); }

void Listener::wait() {
    acceptor_.async_wait(Acceptor::wait_read, [this](const ErrorCode& error) {
        if (error || !acceptor_.is_open()) return;
        accept_some(accepted_at_once) == Accepted::out_of_resources ? pause() : wait();
    });
}

// The waiting connection keeps the listener readable: without a pause this would spin.
void Listener::pause() {
    pause_.expires_after(pause_time);
    pause_.async_wait([this](const ErrorCode& error) {
        if (!error && acceptor_.is_open()) wait();
    });
}

void Listener::close() {
    if (!acceptor_.is_open()) return;
    const bool stopping = thread_.shared().stopping.load(std::memory_order_relaxed);
    while (!stopping && accept_some(accepted_at_once) == Accepted::one) continue;
    ErrorCode ignored;
    acceptor_.close(ignored);
    pause_.cancel();
}

Listener::Accepted Listener::accept_some(std::size_t at_most) {
    Accepted last = Accepted::one;
    for (std::size_t i = 0; i < at_most && last == Accepted::one; ++i) last = accept_one();
    return last;
}

Listener::Accepted Listener::accept_one() {
    ErrorCode error;
    Socket socket = acceptor_.accept(thread_.context().get_executor(), error);
    if (is_out_of_resources(error)) {
        note_failure(error);
        return Accepted::out_of_resources;
    }
    if (error == asio::error::would_block || error == asio::error::try_again) return Accepted::none;
    // Any other error is that of one connection which has gone already.
    if (error) return acceptor_.is_open() ? Accepted::one : Accepted::none;
    note_success();
    admit(std::move(socket));
    return Accepted::one;
}

void Listener::admit(Socket socket) {
    Shared& shared = thread_.shared();
    OpenSlot slot(shared, group_);
    if (slot.is_over_limit()) {
        shared.metrics.connections_refused.add();
        return;  // which closes it
    }
    shared.metrics.connections_accepted.add();
    ErrorCode ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    asio::co_spawn(thread_.context().get_executor(), serve(std::move(socket), std::move(slot), thread_),
                   asio::detached);
}

void Listener::note_failure(const ErrorCode& error) {
    thread_.shared().metrics.accept_failures.add();
    if (!failing_) spdlog::warn("connections have to wait: {}", error.message());
    failing_ = true;
}

void Listener::note_success() {
    if (failing_) spdlog::info("connections are accepted again");
    failing_ = false;
}

}  // namespace frond::http
