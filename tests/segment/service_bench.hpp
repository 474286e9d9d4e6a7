// A segment service over a fake store, with an I/O thread that its coroutines run on.
#pragma once

#include "segment/fake_store.hpp"
#include "segment/helpers.hpp"
#include "segment/service.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace frond::segment {

inline awaitable<void> take_into(SegmentService& service, std::string key, std::uint64_t n,
                                 std::shared_ptr<std::promise<Result<Taken>>> promise) {
    Result<Taken> taken = co_await service.take(std::move(key), n);
    promise->set_value(std::move(taken));
}

inline std::vector<std::int64_t> ids_of(const Taken& taken) {
    std::vector<std::int64_t> ids;
    for (unsigned i = 0; i < taken.size; ++i) {
        for (std::int64_t k = 0; k < taken.runs[i].count; ++k) {
            ids.push_back(taken.runs[i].first + k * taken.runs[i].delta);
        }
    }
    return ids;
}

// The store and the clock belong to the test, so that a second bench over them is the same server after a restart.
class Bench {
public:
    Bench(FakeStore& store, MovedClock& clock, SegmentOptions options = {},
          std::optional<std::filesystem::path> journal = std::nullopt)
        : service(store, clock, metrics, journal ? open(*journal) : nullptr, options),
          guard_(io_.get_executor()),
          thread_([this] { io_.run(); }) {}
    ~Bench() {
        guard_.reset();
        io_.stop();
        thread_.join();
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    // Begins a take on the I/O thread.
    std::future<Result<Taken>> begin(const std::string& key, std::uint64_t n = 1) {
        auto promise = std::make_shared<std::promise<Result<Taken>>>();
        auto future = promise->get_future();
        boost::asio::co_spawn(io_.get_executor(), take_into(service, key, n, std::move(promise)),
                              boost::asio::detached);
        return future;
    }
    Result<Taken> take(const std::string& key, std::uint64_t n = 1) { return begin(key, n).get(); }

    // The error code of a take that is to fail; errc{} when it brought IDs.
    errc failure(const std::string& key, std::uint64_t n = 1) {
        const Result<Taken> taken = take(key, n);
        return taken ? errc{} : taken.error().code;
    }
    void start() {
        service.start();
        if (!eventually([this] { return service.started(); })) throw std::runtime_error("does not start");
    }

    SegmentMetrics metrics;
    SegmentService service;

private:
    static std::unique_ptr<Journal> open(const std::filesystem::path& file) {
        auto journal = Journal::open(file, "fake");
        if (!journal) throw std::runtime_error(journal.error().detail);
        return std::move(journal).value();
    }

    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<Executor> guard_;
    std::thread thread_;
};

}  // namespace frond::segment
