#include "snowflake/service_waiters.hpp"

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include <memory>

namespace frond::snowflake {
namespace {

class ServiceWaitersTest : public testing::Test {
protected:
    boost::asio::io_context io_{1};
    std::shared_ptr<WaitTimer> timer_ = std::make_shared<WaitTimer>(io_.get_executor(), std::chrono::hours(1));
    ServiceWaiters waiters_;
    bool woken_ = false;

    void wait() {
        timer_->async_wait([this](boost::system::error_code) { woken_ = true; });
    }
    void poll() {
        io_.restart();
        io_.poll();
    }
};

TEST_F(ServiceWaitersTest, WakesWhoHasAPlace) {
    const ServiceWaiters::Place place(waiters_, timer_, waiters_.round());
    EXPECT_FALSE(place.missed());
    wait();
    poll();
    EXPECT_FALSE(woken_);
    waiters_.wake_all();
    EXPECT_FALSE(woken_) << "on its own thread, not on the caller's";
    poll();
    EXPECT_TRUE(woken_);
}

TEST_F(ServiceWaitersTest, TellsWhatWasAnnouncedBeforeThePlaceWasTaken) {
    const std::uint64_t round = waiters_.round();
    waiters_.wake_all();
    const ServiceWaiters::Place place(waiters_, timer_, round);
    EXPECT_TRUE(place.missed());
}

TEST_F(ServiceWaitersTest, LeavesAloneWhoHasGivenUpItsPlace) {
    { const ServiceWaiters::Place place(waiters_, timer_, waiters_.round()); }
    wait();
    waiters_.wake_all();
    poll();
    EXPECT_FALSE(woken_);
    timer_->cancel();
    poll();
    EXPECT_TRUE(woken_);
}

}  // namespace
}  // namespace frond::snowflake
