// A lease machine whose registry, disk and time are in the test's hands.
#pragma once

#include "worker/lease_machine.hpp"
#include "worker/lease_slot.hpp"
#include "worker/log_capture.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace frond::worker {

class LeaseMachineFixture : public testing::Test {
protected:
    using milliseconds = std::chrono::milliseconds;
    static constexpr std::int64_t start_ms = 1'700'000'000'000;

    LeaseMachineFixture() {
        options_.space = *make_space({}, 0, 0);
        options_.registry = "test";
        options_.identity = "me";
        options_.port = "8080";
        options_.new_id = [this] { return fmt::format("{:032x}", ++ids_); };
        name_.id = "the name";
        name_.space = options_.space;
    }

    void start() { machine_ = std::make_unique<LeaseMachine>(options_, access_, slot_, metrics_); }
    [[nodiscard]] Moment now() const { return {now_ms_, SteadyTime(milliseconds(steady_ms_))}; }
    void advance(milliseconds by) {
        now_ms_ += by.count();
        steady_ms_ += by.count();
        machine_->observe(now());
    }

    // The call that is due, which must be of this kind.
    template <class Call>
    Call expect() {
        auto call = machine_->next_call(now());
        EXPECT_TRUE(call) << "no call is due";
        if (!call) return {};
        EXPECT_TRUE(std::holds_alternative<Call>(*call)) << "another kind of call: " << call->index();
        return std::holds_alternative<Call>(*call) ? std::get<Call>(*call) : Call{};
    }
    // The next call of this kind, however long that takes.
    template <class Call>
    Call await() {
        for (int i = 0; i < 1'000 && machine_->wake_at() > now().steady; ++i) advance(milliseconds(10));
        return expect<Call>();
    }
    void reply(RegistryReply value) { machine_->call_done(now(), std::move(value)); }
    void fail(RegistryFault fault) { reply(RegistryError{fault, "it failed"}); }

    [[nodiscard]] Survey survey() const {
        Survey all;
        all.name = name_;
        all.records = records_;
        all.first_number = 0;
        all.next_number = next_number_;
        if (registry_offset_ms_) all.clock = RegistryClock{now_ms_ + *registry_offset_ms_, now().steady};
        return all;
    }
    [[nodiscard]] LeaseRecord record(const std::string& identity, std::int64_t fence, LeaseState state) const {
        return {"owner of " + identity, "write of " + identity, identity, "", "", start_ms, fence, state,
                options_.space};
    }
    void add_record(std::int64_t number, const LeaseRecord& record, std::int64_t modified_ms = start_ms) {
        records_.push_back({number, 5, modified_ms, record, fmt::format("record-{}", number), {}});
        next_number_ = std::max(next_number_, number + 1);
    }

    // Leads the machine to a lease of number 0, by creation; returns what it wrote.
    LeaseRecord lease() {
        start();
        (void)expect<SurveyCall>();
        reply(survey());
        const auto create = expect<CreateCall>();
        reply(Created{next_number_, 0, std::nullopt});
        if (access_.usable) store();
        return create.record;
    }
    // Carries out the store that is due.
    WorkerState store(const Result<void>& result = {}) {
        auto state = machine_->next_store(now());
        EXPECT_TRUE(state) << "no store is due";
        if (!state) return {};
        machine_->store_done(now(), result);
        return *state;
    }
    [[nodiscard]] Holder holder() const { return {"boot", 1, 2, 3, true}; }
    // A state file as an earlier process of this machine left it.
    void leave_state(std::int64_t worker_id, const std::string& owner, std::int64_t watermark, std::int64_t fence,
                     WorkerState::Use use = WorkerState::Use::held) {
        access_ = {true, WorkerState{"frond", {}, "test", worker_id, owner, use, watermark, fence, holder()}, holder()};
    }

    // Takes one ID and returns its timestamp, or the error.
    std::int64_t take() {
        SnowflakeGenerator* lease = slot_.current();
        EXPECT_NE(lease, nullptr);
        if (lease == nullptr) return 0;
        auto run = lease->take(now_ms_);
        EXPECT_TRUE(run) << run.error().detail;
        return lease->last_timestamp_ms();
    }
    [[nodiscard]] errc take_error() {
        SnowflakeGenerator* lease = slot_.current();
        if (lease == nullptr) return slot_.trouble().value_or(Error(errc::internal)).code;
        auto run = lease->take(now_ms_);
        EXPECT_FALSE(run);
        return run ? errc::internal : run.error().code;
    }
    [[nodiscard]] std::string trouble() const { return slot_.trouble().value_or(Error(errc::internal)).detail; }

    LeaseOptions options_;
    StateAccess access_;
    NameRecord name_;
    std::vector<RecordView> records_;
    std::int64_t next_number_ = 0;
    std::optional<std::int64_t> registry_offset_ms_ = 0;

    std::int64_t now_ms_ = start_ms;
    std::int64_t steady_ms_ = 1'000'000;
    std::uint64_t ids_ = 0;
    LeaseSlot slot_;
    KeeperMetrics metrics_;
    test::LogCapture log_;
    std::unique_ptr<LeaseMachine> machine_;
};

}  // namespace frond::worker
