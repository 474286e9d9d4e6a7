// Thousands of instances, one after another and each with a new identity, on a real server: a number is always found,
// and a handful of them is enough for all.
#include "base/clock.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/lease_slot.hpp"
#include "zookeeper/registry_fixture.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

namespace frond::zookeeper {
namespace {

constexpr int ids_each = 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int usual_count = 500;  // everything takes longer
#else
constexpr int usual_count = 5'000;
#endif

// FROND_LEASES overrides it.
int lease_count() {
    const char* text = std::getenv("FROND_LEASES");
    return text == nullptr ? usual_count : std::atoi(text);
}

worker::Moment now() {
    const SystemClock clock;
    return {unix_ms(clock.wall()), clock.steady()};
}

// What a process would have: a session, a keeper, and somebody who asks for IDs.
class Instance {
public:
    Instance(std::unique_ptr<ZooKeeperWorkerRegistry> registry, worker::LeaseOptions options)
        : registry_(std::move(registry)),
          keeper_(std::make_unique<worker::LeaseKeeper>(std::move(options), *registry_, nullptr, slot_, metrics_)) {
        EXPECT_TRUE(keeper_->start([] { return now(); }, [this] { note_change(); }));
    }
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    ~Instance() = default;  // dies without a word, unless it was released

    [[nodiscard]] bool wait_ready() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 60s, [this] { return slot_.current() != nullptr; });
    }
    [[nodiscard]] std::int64_t worker_id() const { return slot_.current()->worker_id(); }
    [[nodiscard]] std::string trouble() const {
        const auto trouble = slot_.trouble();
        return trouble ? trouble->detail : "no trouble";
    }
    // The next ID, as soon as there is one.
    [[nodiscard]] std::optional<std::int64_t> next_id() const {
        SnowflakeGenerator& lease = *slot_.current();
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (std::chrono::steady_clock::now() < deadline) {
            if (const auto run = lease.take(now().now_ms)) return lease.id(run->first);
            std::this_thread::sleep_for(1ms);
        }
        return std::nullopt;
    }
    [[nodiscard]] bool release() { return keeper_->release(30s); }

private:
    void note_change() {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }

    std::unique_ptr<ZooKeeperWorkerRegistry> registry_;
    worker::LeaseSlot slot_;
    worker::KeeperMetrics metrics_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::unique_ptr<worker::LeaseKeeper> keeper_;  // its threads end before what they use
};

class ManyLeasesTest : public RegistryTest {
protected:
    ManyLeasesTest() { spdlog::set_level(spdlog::level::warn); }
    ~ManyLeasesTest() override { spdlog::set_level(spdlog::level::info); }

    [[nodiscard]] std::unique_ptr<Instance> instance(int number) const {
        const auto identity = fmt::format("instance {}", number);
        worker::LeaseOptions lease;
        lease.name = options().name;
        lease.space = space_;
        lease.identity = identity;
        lease.max_ahead = 500ms;
        lease.max_clock_skew = 1s;
        lease.heartbeat = 100ms;
        lease.fence_window = 1s;
        lease.new_id = worker::random_id;
        return std::make_unique<Instance>(registry(options(), identity), lease);
    }

    // A record that nobody released is free again after fence window and skew, 2 s: so many at most are waited for.
    [[nodiscard]] bool may_crash(int number) {
        const auto moment = std::chrono::steady_clock::now();
        if (number % 10 != 9 || moment - last_crash_ < 250ms) return false;
        last_crash_ = moment;
        ++crashes_;
        return true;
    }

    void use(Instance& instance) {
        for (int i = 0; i < ids_each; ++i) {
            const auto id = instance.next_id();
            ASSERT_TRUE(id) << instance.trouble();
            EXPECT_TRUE(ids_.insert(*id).second) << *id << " came twice";
        }
    }

    std::unordered_set<std::int64_t> ids_;
    std::unordered_set<std::int64_t> numbers_;
    int crashes_ = 0;

private:
    std::chrono::steady_clock::time_point last_crash_;
};

TEST_F(ManyLeasesTest, ANumberIsAlwaysFoundAndTwentyAreEnough) {
    const int count = lease_count();
    ASSERT_GT(count, 0);
    int used = 0;
    for (int number = 0; number < count; ++number) {
        const auto one = instance(number);
        const bool crashes = may_crash(number);
        // Every other crash comes in the middle of the start.
        if (crashes && crashes_ % 2 == 0) continue;
        ASSERT_TRUE(one->wait_ready()) << number << ": " << one->trouble();
        numbers_.insert(one->worker_id());
        ASSERT_NO_FATAL_FAILURE(use(*one));
        ++used;
        if (!crashes) {
            ASSERT_TRUE(one->release()) << number;
        }
    }
    EXPECT_EQ(ids_.size(), static_cast<std::size_t>(used) * ids_each);
    EXPECT_LE(children(parent()).size(), 20U)
        << "records are never deleted, so that these are all that there ever were";
    EXPECT_LE(numbers_.size(), children(parent()).size());
    EXPECT_TRUE(numbers_.count(0) == 0);
    EXPECT_EQ(children(live()).size(), 0U);
    RecordProperty("crashes", crashes_);
    RecordProperty("records", static_cast<int>(children(parent()).size()));
}

}  // namespace
}  // namespace frond::zookeeper
