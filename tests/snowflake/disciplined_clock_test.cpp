#include "snowflake/disciplined_clock.hpp"

#include "snowflake/fake_clock.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace frond::snowflake {
namespace {

using namespace std::chrono_literals;
using test::FakeClock;

TEST(DisciplinedClock, ReadsWhatItsDisciplineSays) {
    FakeClock source;
    DisciplinedClock clock(source);
    EXPECT_EQ(clock.now_ms(), FakeClock::start_ms);
    source.advance(10s);
    source.step(-1h);
    EXPECT_EQ(clock.now_ms(), FakeClock::start_ms + 10'000);
    EXPECT_EQ(clock.observe(read_clocks(source)).step_ms, -3'600'000);
    source.advance(2048s);
    EXPECT_EQ(clock.now_ms(), FakeClock::start_ms + 10'000 + 2'047'000);
    clock.restart(read_clocks(source));
    EXPECT_EQ(clock.now_ms(), source.wall_ms());
    source.step(1h);
    clock.offer_reference(source.wall(), source.steady());
    EXPECT_TRUE(clock.observe(read_clocks(source)).adopted);
    EXPECT_EQ(clock.now_ms(), source.wall_ms());
}

// Takes its time between the two readings, now and then.
class HesitantClock final : public Clock {
public:
    [[nodiscard]] WallTime wall() const noexcept override { return wall_time(steady_ms_ + 1'000'000); }
    [[nodiscard]] SteadyTime steady() const noexcept override {
        steady_ms_ += hesitation_ms_;
        hesitation_ms_ /= 2;
        return SteadyTime(std::chrono::milliseconds(steady_ms_));
    }

private:
    mutable std::int64_t steady_ms_ = 0;
    mutable std::int64_t hesitation_ms_ = 64;
};

TEST(DisciplinedClock, PairsReadingsThatWereTakenCloseTogether) {
    const HesitantClock source;
    const ClockReading reading = read_clocks(source);
    const auto difference = unix_ms(reading.wall) - 1'000'000 - reading.steady.time_since_epoch() / 1ms;
    EXPECT_LE(std::abs(difference), 1);
}

// Readers must always see a whole line while another thread turns it. Run under TSan, too.
TEST(DisciplinedClock, ReadersSeeWholeLines) {
    FakeClock source;
    DisciplinedClock clock(source);
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> backwards{0};
    std::atomic<std::int64_t> far{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([&] {
            std::int64_t last = 0;
            while (!stop.load(std::memory_order_relaxed)) {
                const std::int64_t now = clock.now_ms();
                backwards += now < last;
                far += std::abs(now - FakeClock::start_ms) > 100'000'000;
                last = now;
            }
        });
    }
    for (int i = 0; i < 20'000; ++i) {
        source.step(i % 2 == 0 ? -20ms : 20ms);
        clock.observe(read_clocks(source));
        source.advance(1ms);
    }
    stop = true;
    for (auto& reader : readers) reader.join();
    EXPECT_EQ(far, 0);
    EXPECT_EQ(backwards, 0);
}

TEST(SystemClockReading, DisciplinedTimeIsWallTime) {
    const SystemClock source;
    const DisciplinedClock clock(source);
    // The wall clock of a test machine may be slewed, but not by a minute.
    EXPECT_LT(std::abs(clock.now_ms() - unix_ms(source.wall())), 60'000);
}

}  // namespace
}  // namespace frond::snowflake
