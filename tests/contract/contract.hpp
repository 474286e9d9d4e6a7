// What all contract tests of lease registries share: each test runs on every kind of registry.
#pragma once

#include "worker/random_id.hpp"
#include "world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace frond::test {

using worker::Created;
using worker::Found;
using worker::LeaseRecord;
using worker::RecordView;
using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;
using worker::WorkerRegistry;
using worker::Written;

template <class T>
[[nodiscard]] std::string told(const RegistryResult<T>& result) {
    const auto* error = std::get_if<RegistryError>(&result);
    return error != nullptr ? "fault " + std::to_string(static_cast<int>(error->fault)) + ": " + error->detail : "done";
}

// The value; a failure of the test, and the end of it, when there is none.
template <class T>
T must(RegistryResult<T> result) {
    if (!std::holds_alternative<T>(result)) throw std::runtime_error(told(result));
    return std::get<T>(std::move(result));
}

template <class T>
[[nodiscard]] bool failed(const RegistryResult<T>& result, RegistryFault fault) {
    const auto* error = std::get_if<RegistryError>(&result);
    return error != nullptr && error->fault == fault;
}

// Calls again until the registry is no longer away: after a restart a client needs a while to find it.
template <class Call>
auto when_reachable(Call call) {
    auto result = call();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (failed(result, RegistryFault::unavailable) && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        result = call();
    }
    return result;
}

class LeaseContract : public testing::TestWithParam<Kind> {
protected:
    [[nodiscard]] static worker::LeaseSpace space(std::int64_t offset = 0, std::int64_t limit = 0) {
        return *worker::make_space(SnowflakeLayout(), offset, limit);
    }
    [[nodiscard]] static Member member(const std::string& identity = "instance", std::int64_t limit = 0) {
        return {"frond", space(0, limit), identity};
    }
    [[nodiscard]] static LeaseRecord record(const std::string& identity = "instance") {
        LeaseRecord record;
        record.owner = worker::random_id();
        record.write = worker::random_id();
        record.identity = identity;
        record.ip = "10.1.2.3";
        record.port = "8080";
        record.timestamp = 1'700'000'000'000;
        record.fence = 1'700'000'900'000;
        record.space = space();
        return record;
    }
    [[nodiscard]] static LeaseRecord again(LeaseRecord record) {
        record.write = worker::random_id();
        record.timestamp += 3'000;
        record.fence += 3'000;
        return record;
    }

    // A handle that has joined.
    std::unique_ptr<WorkerRegistry> joined(const Member& member) const {
        auto registry = world->join(member);
        must(registry->survey());
        return registry;
    }
    // Those that may be used, by number.
    [[nodiscard]] static std::vector<RecordView> records_of(const Survey& survey) {
        std::vector<RecordView> records;
        std::ranges::copy_if(survey.records, std::back_inserter(records),
                             [&](const RecordView& view) { return view.number >= survey.first_number; });
        std::ranges::sort(records, {}, &RecordView::number);
        return records;
    }
    [[nodiscard]] static std::vector<std::int64_t> numbers_of(const Survey& survey) {
        std::vector<std::int64_t> numbers;
        for (const RecordView& view : records_of(survey)) numbers.push_back(view.number);
        return numbers;
    }
    // first, first + 1, …
    [[nodiscard]] static std::vector<std::int64_t> run_of(std::int64_t first, std::size_t count) {
        std::vector<std::int64_t> run(count);
        for (std::size_t i = 0; i < count; ++i) run[i] = first + static_cast<std::int64_t>(i);
        return run;
    }
    // What every thread's body(i) returns; all begin at once.
    template <class Body>
    static auto at_once(std::size_t count, Body body) {
        using Answer = decltype(body(std::size_t{0}));
        std::promise<void> begin;
        const std::shared_future<void> begun = begin.get_future().share();
        std::vector<std::future<Answer>> work;
        for (std::size_t i = 0; i < count; ++i) {
            work.push_back(std::async(std::launch::async, [&, i] {
                begun.wait();
                return body(i);
            }));
        }
        begin.set_value();
        std::vector<Answer> answers;
        for (auto& job : work) answers.push_back(job.get());
        return answers;
    }

    const std::unique_ptr<World> world = make_world(GetParam());
};

}  // namespace frond::test
