#include "http/io_thread.hpp"

#include "http/connection.hpp"
#include "http/listener.hpp"

#include <pthread.h>

#include <algorithm>

namespace frond::http {

namespace {

using std::chrono::milliseconds;

// How long a connection may stay idle once the listeners are closed.
constexpr milliseconds hurried_idle{500};
// How long a client may take to read the last reply and close.
constexpr milliseconds linger_timeout{2000};

// Fine enough for the shortest time-out, and no finer than needed.
milliseconds sweep_period(const Limits& limits) {
    const milliseconds shortest = std::min(limits.request_timeout, limits.idle_timeout);
    return std::clamp(shortest / 8, milliseconds(5), milliseconds(250));
}

std::int64_t wall_seconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::floor<std::chrono::seconds>(now).count();
}

}  // namespace

IoThread::IoThread(std::size_t index, Shared& shared)
    : index_(index),
      shared_(shared),
      period_(sweep_period(shared.limits)),
      idle_ticks_(ticks(shared.limits.idle_timeout)),
      request_ticks_(ticks(shared.limits.request_timeout)),
      linger_ticks_(ticks(std::min(linger_timeout, shared.limits.request_timeout))),
      workspaces_(shared.limits),
      work_(context_.get_executor()),
      timer_(context_) {
    date_.update(wall_seconds());
}

IoThread::~IoThread() { join(); }

// One more than fits, for the tick that is under way.
Tick IoThread::ticks(milliseconds duration) const noexcept {
    return static_cast<Tick>((duration + period_ - milliseconds(1)) / period_) + 1;
}

void IoThread::run() {
    schedule_sweep();
    for (const auto& listener : listeners_) listener->start();
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), ("frond-io-" + std::to_string(index_)).c_str());
        context_.run();
    });
}

void IoThread::join() {
    work_.reset();
    context_.stop();
    if (thread_.joinable()) thread_.join();
}

void IoThread::add(std::unique_ptr<Listener> listener) { listeners_.push_back(std::move(listener)); }

void IoThread::close_listeners() {
    for (const auto& listener : listeners_) listener->close();
}

void IoThread::add(Connection& connection) { connections_.push_back(connection); }

void IoThread::hurry() {
    idle_ticks_ = std::min(idle_ticks_, ticks(hurried_idle));
    for (Connection& connection : connections_) connection.hurry(idle_deadline());
}

void IoThread::close_connections() {
    timer_.cancel();
    for (Connection& connection : connections_) connection.close();
}

void IoThread::schedule_sweep() {
    timer_.expires_after(period_);
    timer_.async_wait([this](const ErrorCode& error) {
        if (error || shared_.stopping.load(std::memory_order_relaxed)) return;
        sweep();
        schedule_sweep();
    });
}

void IoThread::sweep() {
    ++tick_;
    date_.update(wall_seconds());
    for (Connection& connection : connections_) connection.expire_if_due(tick_);
}

}  // namespace frond::http
