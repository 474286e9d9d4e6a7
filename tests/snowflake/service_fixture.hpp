// A Snowflake service whose time and disk are in the test's hands.
#pragma once

#include "snowflake/fake_clock.hpp"
#include "snowflake/service.hpp"
#include "worker/fake_state_file.hpp"
#include "worker/log_capture.hpp"
#include "worker/static_keeper.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace frond::snowflake {

class ServiceFixture : public testing::Test {
protected:
    using milliseconds = std::chrono::milliseconds;

    // A process begins; its first step reads the state file.
    void begin() {
        service_.reset();
        options_.state_file = !no_file_;
        slot_ = std::make_unique<worker::LeaseSlot>();
        keeper_ = std::make_unique<worker::StaticKeeper>(
            worker::StaticKeeper::Options{"frond", {options_.layout, options_.max_ahead.count(), 10'000}, worker_id_},
            no_file_ ? nullptr : &file_, *slot_, metrics_->keeper);
        service_ = std::make_unique<SnowflakeService>(options_, clock_, *slot_, *keeper_, *metrics_);
        wait_ = service_->step();
    }
    // The process dies without a word; what it had not synced is lost.
    void kill() {
        const auto disk = file_.state();
        service_.reset();  // marks the file, which a killed process does not
        if (disk) file_.set_state(*disk);
    }
    void stop() {
        service_->stop(milliseconds(5'000));
        service_.reset();
    }

    // Time goes by, with the steps that fall into it.
    void pass(milliseconds time) {
        while (time > milliseconds(0)) {
            const auto until_step = std::min(wait_, time);
            clock_.advance(until_step);
            time -= until_step;
            wait_ -= until_step;
            if (wait_ == milliseconds(0)) wait_ = service_->step();
        }
    }
    void look() { wait_ = service_->step(); }

    [[nodiscard]] Result<IdRun> try_take(std::uint64_t count = 1) {
        return service_->try_take(service_->now_ms(), count);
    }
    // Takes n IDs one by one, into `ids_`.
    void take(int n) {
        for (int i = 0; i < n; ++i) {
            const auto run = try_take();
            ASSERT_TRUE(run) << run.error().detail;
            ids_.push_back(run->id(0));
        }
    }
    // Uses up the lead that there is.
    void use_up() {
        while (const auto run = try_take(64)) ids_.push_back(run->id(63));
        while (const auto run = try_take()) ids_.push_back(run->id(0));
    }
    void expect_distinct() {
        auto sorted = ids_;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
    }
    [[nodiscard]] std::int64_t timestamp(std::int64_t id) const { return options_.layout.decode(id)->timestamp_ms; }

    // A take() under way on `io_`.
    struct Pending {
        std::optional<Result<IdRun>> result;
    };
    static awaitable<void> run_take(SnowflakeService& service, std::uint64_t count, std::shared_ptr<Pending> pending) {
        pending->result.emplace(co_await service.take(count));
    }
    std::shared_ptr<Pending> start_take(std::uint64_t count) { return start_take(count, io_); }
    std::shared_ptr<Pending> start_take(std::uint64_t count, boost::asio::io_context& io) {
        auto pending = std::make_shared<Pending>();
        boost::asio::co_spawn(io.get_executor(), run_take(*service_, count, pending), boost::asio::detached);
        io.restart();
        io.poll();
        return pending;
    }
    // Lets the I/O thread run, calling `meanwhile` again and again, until the take has ended.
    static constexpr std::chrono::seconds patience{60};
    Result<IdRun> finish(const std::shared_ptr<Pending>& pending, const std::function<void()>& meanwhile = {}) {
        const auto give_up = std::chrono::steady_clock::now() + patience;
        while (!pending->result && std::chrono::steady_clock::now() < give_up) {
            if (meanwhile) meanwhile();
            io_.restart();
            io_.run_for(milliseconds(1));
        }
        if (!pending->result) return Error(errc::internal, "the take hangs");
        return *pending->result;
    }

    SnowflakeOptions options_;
    test::FakeClock clock_;
    test::FakeStateFile file_;
    bool no_file_ = false;
    std::unique_ptr<SnowflakeMetrics> metrics_ = std::make_unique<SnowflakeMetrics>();
    boost::asio::io_context io_{1};
    std::int64_t worker_id_ = 0;
    std::unique_ptr<worker::LeaseSlot> slot_;
    std::unique_ptr<worker::StaticKeeper> keeper_;
    std::unique_ptr<SnowflakeService> service_;
    milliseconds wait_{0};
    std::vector<std::int64_t> ids_;
    test::LogCapture log_;
};

}  // namespace frond::snowflake
