// The service over a keeper that takes its lease on a thread of its own, at any moment between two steps.
#include "snowflake/fake_clock.hpp"
#include "snowflake/service.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;

class LaneKeeper final : public worker::Keeper {
public:
    explicit LaneKeeper(worker::LeaseSlot& slot) : slot_(slot) {}

    Result<void> start(std::function<worker::Moment()> now, std::function<void()> /*changed*/) override {
        now_ = std::move(now);
        return {};
    }
    std::chrono::milliseconds step(const worker::Moment& /*moment*/) override {
        ++steps_;
        return 1h;
    }
    [[nodiscard]] bool issuing() const noexcept override { return issuing_; }
    [[nodiscard]] bool settled() const noexcept override { return true; }
    bool release(std::chrono::milliseconds /*patience*/) override { return true; }

    worker::Moment take() {
        const worker::Moment moment = now_();
        slot_.open({SnowflakeLayout(), 1, 1'000, moment.now_ms - 1, moment.now_ms + 900'000});
        issuing_ = true;
        return moment;
    }
    void wait_for_a_step() const {
        while (steps_ == 0) std::this_thread::sleep_for(1ms);
    }

private:
    worker::LeaseSlot& slot_;
    std::function<worker::Moment()> now_;
    std::atomic<int> steps_{0};
    std::atomic<bool> issuing_{false};
};

// The clock is wrong at the last step before the lease, and right when it is taken. What would go by the former made
// IDs of the future, and a fence that blocks the number for as long.
TEST(ServiceLeaseTest, ALeaseGoesByTheTimeAtWhichItWasTaken) {
    for (const auto wrong : {std::chrono::milliseconds(1h), std::chrono::milliseconds(-1h)}) {
        test::FakeClock clock;
        clock.step(wrong);
        worker::LeaseSlot slot;
        LaneKeeper keeper(slot);
        SnowflakeMetrics metrics;
        SnowflakeService service({}, clock, slot, keeper, metrics);
        ASSERT_TRUE(service.start());
        keeper.wait_for_a_step();
        clock.step(-wrong);
        EXPECT_EQ(keeper.take().now_ms, clock.wall_ms());
        EXPECT_EQ(service.now_ms(), clock.wall_ms());
        const auto ids = service.try_take(service.now_ms(), 1);
        ASSERT_TRUE(ids) << ids.error().detail;
        EXPECT_EQ(SnowflakeLayout().decode(ids->id(0))->timestamp_ms, clock.wall_ms());
    }
}

}  // namespace
}  // namespace frond::snowflake
