// Threads for calls that block (SQL, fsync), so that none of them ever runs on an I/O thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace frond {

// A fixed number of threads over one queue, first in, first out. Thread-safe.
class BlockingPool {
public:
    // Starts `threads` threads (at least 1), named `name` (15 bytes at most) for debuggers and top.
    BlockingPool(std::string name, std::size_t threads);
    // Runs what is queued, then joins.
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    // Queues a job; never blocks. A job must not throw. After stop() the job is dropped and false returned.
    bool post(std::function<void()> job);

    // Takes no more jobs, drops those not yet begun and joins. Returns false, leaving the threads running detached
    // from their owner, when a job does not end within `patience`: the process is about to exit.
    bool stop(std::chrono::milliseconds patience);

    [[nodiscard]] std::size_t queued() const;

private:
    struct State;

    std::shared_ptr<State> state_;
    std::vector<std::thread> threads_;
};

}  // namespace frond
