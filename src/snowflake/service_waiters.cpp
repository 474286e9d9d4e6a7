#include "snowflake/service_waiters.hpp"

#include <boost/asio/post.hpp>

namespace frond::snowflake {

void ServiceWaiters::wake_all() {
    const std::lock_guard lock(mutex_);
    ++round_;
    for (const auto& timer : timers_) {
        boost::asio::post(timer->get_executor(), [timer] { timer->cancel(); });
    }
}

ServiceWaiters::Place::Place(ServiceWaiters& list, const std::shared_ptr<WaitTimer>& timer, std::uint64_t round)
    : list_(list), timer_(timer) {
    const std::lock_guard lock(list_.mutex_);
    missed_ = list_.round_ != round;
    list_.timers_.insert(timer_);
}

ServiceWaiters::Place::~Place() {
    const std::lock_guard lock(list_.mutex_);
    list_.timers_.erase(timer_);
}

}  // namespace frond::snowflake
