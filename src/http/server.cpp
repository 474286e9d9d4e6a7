#include "http/server.hpp"

#include "http/address.hpp"
#include "http/bind.hpp"
#include "http/io_thread.hpp"
#include "http/listener.hpp"
#include "http/shared.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <latch>
#include <thread>

namespace frond::http {

namespace {

// How long stop() lets connections end by themselves before it leaves them to the destructor.
constexpr std::chrono::milliseconds patience_at_stop{200};
constexpr std::chrono::milliseconds poll_interval{2};

}  // namespace

struct Server::State {
    State(std::size_t count, Limits limits, ServerMetrics& metrics) : shared{.limits = limits, .metrics = metrics} {
        for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
            threads.push_back(std::make_unique<IoThread>(i, shared));
        }
    }

    [[nodiscard]] std::vector<boost::asio::io_context*> contexts() const {
        std::vector<boost::asio::io_context*> all;
        for (const auto& thread : threads) all.push_back(&thread->context());
        return all;
    }

    // Runs `task` for each thread, on it, and waits; at once when the threads are not running.
    template <class Task>
    void on_each_thread(Task task) {
        if (!running) {
            for (const auto& thread : threads) task(*thread);
            return;
        }
        std::latch done(static_cast<std::ptrdiff_t>(threads.size()));
        for (const auto& thread : threads) {
            boost::asio::post(thread->context(), [&task, &thread = *thread, &done] {
                task(thread);
                done.count_down();
            });
        }
        done.wait();
    }

    Shared shared;
    std::vector<std::unique_ptr<ListenerGroup>> groups;
    std::vector<std::unique_ptr<IoThread>> threads;
    bool running = false;
};

Server::Server(std::size_t threads, Limits limits, ServerMetrics& metrics)
    : state_(std::make_unique<State>(threads, limits, metrics)) {}

Server::~Server() { stop(); }

Result<std::vector<std::string>> Server::listen(const Listen& listen) {
    const auto contexts = state_->contexts();
    std::vector<Bound> all;
    for (const std::string& address : listen.addresses) {
        auto bound = bind_address(address, contexts);
        if (!bound) return bound.error();
        std::ranges::move(*bound, std::back_inserter(all));
    }
    ListenerGroup& group = *state_->groups.emplace_back(new ListenerGroup{.handler = *listen.handler});
    std::vector<std::string> addresses;
    for (Bound& bound : all) {
        addresses.push_back(to_text(bound.endpoint));
        for (std::size_t i = 0; i < contexts.size(); ++i) {
            IoThread& thread = *state_->threads[i];
            thread.add(std::make_unique<Listener>(std::move(bound.acceptors[i]), group, thread));
        }
    }
    return addresses;
}

void Server::start() {
    for (const auto& thread : state_->threads) thread->run();
    state_->running = true;
}

void Server::begin_drain() { state_->shared.draining.store(true, std::memory_order_relaxed); }

void Server::stop_listening() {
    state_->on_each_thread([](IoThread& thread) {
        thread.close_listeners();
        thread.hurry();
    });
}

bool Server::wait_idle(std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (state_->shared.open_connections.load(std::memory_order_acquire) != 0) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(poll_interval);
    }
    return true;
}

void Server::stop() {
    if (state_->shared.stopping.exchange(true)) return;
    state_->on_each_thread([](IoThread& thread) {
        thread.close_listeners();
        thread.close_connections();
    });
    if (state_->running) wait_idle(patience_at_stop);
    for (const auto& thread : state_->threads) thread->join();
    state_->running = false;
}

boost::asio::io_context& Server::context(std::size_t index) { return state_->threads.at(index)->context(); }

std::size_t Server::threads() const noexcept { return state_->threads.size(); }

}  // namespace frond::http
