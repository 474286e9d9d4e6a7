#include "base/blocking_pool.hpp"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace frond {

// Shared with the threads, so that one that never ends can outlive the pool.
struct BlockingPool::State {
    std::string name;
    mutable std::mutex mutex;
    std::condition_variable wake;   // a job or the end
    std::condition_variable ended;  // a thread has left
    std::deque<std::function<void()>> jobs;
    std::size_t running = 0;
    bool stopping = false;

    void run();
};

void BlockingPool::State::run() {
    pthread_setname_np(pthread_self(), name.c_str());
    std::unique_lock lock(mutex);
    for (;;) {
        wake.wait(lock, [this] { return stopping || !jobs.empty(); });
        if (jobs.empty()) break;
        std::function<void()> job = std::move(jobs.front());
        jobs.pop_front();
        lock.unlock();
        job();
        job = nullptr;  // what it holds may call back into the pool when it goes
        lock.lock();
    }
    --running;
    ended.notify_all();
}

BlockingPool::BlockingPool(std::string name, std::size_t threads) : state_(std::make_shared<State>()) {
    state_->name = name.substr(0, 15);
    state_->running = threads;
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([state = state_] { state->run(); });
}

BlockingPool::~BlockingPool() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    state_->wake.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

bool BlockingPool::post(std::function<void()> job) {
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->stopping) return false;
        state_->jobs.push_back(std::move(job));
    }
    state_->wake.notify_one();
    return true;
}

bool BlockingPool::stop(std::chrono::milliseconds patience) {
    std::deque<std::function<void()>> dropped;
    std::unique_lock lock(state_->mutex);
    state_->stopping = true;
    dropped.swap(state_->jobs);
    state_->wake.notify_all();
    const bool all_ended = state_->ended.wait_for(lock, patience, [this] { return state_->running == 0; });
    lock.unlock();
    for (std::thread& thread : threads_) {
        if (!thread.joinable()) continue;
        if (all_ended) {
            thread.join();
        } else {
            thread.detach();
        }
    }
    return all_ended;
}

std::size_t BlockingPool::queued() const {
    const std::lock_guard lock(state_->mutex);
    return state_->jobs.size();
}

}  // namespace frond
