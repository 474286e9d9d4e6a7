// One I/O thread: its io_context(1), the connections that live on it, and what they share without locks: buffers, the
// Date header, and time. Everything but run(), join() and context() is called on that thread, or while it does not run.
//
// Time is counted in ticks of one coarse timer, so that no request pays for a timer or a clock read. A process that was
// suspended goes on where it was, instead of finding all its clients late.
#pragma once

#include "http/date_line.hpp"
#include "http/shared.hpp"
#include "http/sockets.hpp"
#include "http/workspace.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace frond::http {

class Connection;
class Listener;

using Tick = std::uint64_t;
using ConnectionHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class IoThread {
public:
    IoThread(std::size_t index, Shared& shared);
    ~IoThread();
    IoThread(const IoThread&) = delete;
    IoThread& operator=(const IoThread&) = delete;

    // Starts the thread.
    void run();
    // Lets the thread end, if it runs, and waits for it; connections that are still there stay as they are.
    void join();
    [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }

    // Listeners: they are opened before run().
    void add(std::unique_ptr<Listener> listener);
    void close_listeners();

    // Connections enter when they are made and leave when they are destroyed.
    void add(Connection& connection);
    // From now on idle connections are closed after a short while.
    void hurry();
    // Closes every socket; the connections end by themselves.
    void close_connections();

    [[nodiscard]] Shared& shared() noexcept { return shared_; }
    [[nodiscard]] WorkspacePool& workspaces() noexcept { return workspaces_; }
    [[nodiscard]] std::string_view date() const noexcept { return date_.view(); }
    // A place for bytes that nobody will read.
    [[nodiscard]] boost::asio::mutable_buffer waste() noexcept { return boost::asio::buffer(waste_); }

    // The tick at which something that begins now has lasted this long, at the earliest.
    [[nodiscard]] Tick idle_deadline() const noexcept { return tick_ + idle_ticks_; }
    [[nodiscard]] Tick request_deadline() const noexcept { return tick_ + request_ticks_; }
    [[nodiscard]] Tick linger_deadline() const noexcept { return tick_ + linger_ticks_; }

private:
    using ConnectionList = boost::intrusive::list<Connection, boost::intrusive::base_hook<ConnectionHook>,
                                                  boost::intrusive::constant_time_size<false>>;
    using WorkGuard = boost::asio::executor_work_guard<Executor>;

    [[nodiscard]] Tick ticks(std::chrono::milliseconds duration) const noexcept;
    void schedule_sweep();
    void sweep();

    const std::size_t index_;
    Shared& shared_;
    const std::chrono::milliseconds period_;
    Tick tick_ = 0;
    Tick idle_ticks_;
    const Tick request_ticks_;
    const Tick linger_ticks_;
    DateLine date_;
    WorkspacePool workspaces_;
    std::array<char, std::size_t{16} * 1024> waste_;
    ConnectionList connections_;
    // The connections live in coroutines that the context destroys: it goes before all that they use.
    boost::asio::io_context context_{1};
    std::optional<WorkGuard> work_;
    Timer timer_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::thread thread_;
};

}  // namespace frond::http
