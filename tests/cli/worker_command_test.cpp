#include "base/units.hpp"
#include "cli/command_line.hpp"
#include "cli/worker_actions.hpp"
#include "server/registries.hpp"
#include "support/fake_registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace frond::cli {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr std::int64_t now = 1'796'082'727'014;  // 2026-11-30T23:52:07.014Z
constexpr std::int64_t minute = 60'000;
constexpr std::int64_t day = 86'400'000;

struct FixedClock final : Clock {
    [[nodiscard]] WallTime wall() const noexcept override { return wall_time(now); }
    [[nodiscard]] SteadyTime steady() const noexcept override { return {}; }
};

// Actions over a registry in memory, whose own clock nobody can read, so that `now` counts.
class WorkerActions : public testing::Test {
protected:
    WorkerActions() {
        store_->set_clock(std::nullopt);
        config_.snowflake.name = "orders";
        space_ = worker::make_space({}, 10, 4).value();
    }

    static worker::LeaseRecord record(const std::string& identity, std::int64_t fence) {
        worker::LeaseRecord made;
        made.owner = "0123456789abcdef0123456789abcdef";
        made.write = "w-" + identity;
        made.identity = identity;
        made.ip = "10.0.0.7";
        made.port = "8080";
        made.timestamp = now - 1000;
        made.fence = fence;
        made.space = worker::make_space({}, 10, 4).value();
        return made;
    }

    // Makes a record, as an instance that has gone since.
    void lease(const worker::LeaseRecord& made) {
        test::FakeRegistry registry(store_, "orders", space_, made.identity);
        ASSERT_TRUE(std::holds_alternative<worker::Survey>(registry.survey()));
        ASSERT_TRUE(std::holds_alternative<worker::Created>(registry.create(made)));
    }

    Outcome run(WorkerAction action) {
        test::FakeAdmin admin(store_, "orders");
        std::ostringstream out;
        std::ostringstream err;
        Console console{out, err};
        testing::internal::CaptureStdout();
        const int code = action({admin, arguments_, config_, FixedClock(), console});
        log_ = testing::internal::GetCapturedStdout();
        return {code, out.str(), err.str()};
    }

    [[nodiscard]] std::int64_t floor() const { return store_->snapshot().at("orders").record.floor; }

    std::shared_ptr<test::FakeStore> store_ = std::make_shared<test::FakeStore>();
    worker::LeaseSpace space_;
    server::Config config_;
    WorkerArguments arguments_;
    std::string log_;  // what the last run logged
};

TEST_F(WorkerActions, AnUnknownNameIsAnError) {
    for (const WorkerAction action : {list_workers, show_worker, raise_floor}) {
        const Outcome outcome = run(action);
        EXPECT_EQ(outcome.code, 1);
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, HasSubstr("frond: "));
    }
}

TEST_F(WorkerActions, ListShowsTheNameAndItsRecordsByNumber) {
    lease(record("ids-0", now + 15 * minute));
    worker::LeaseRecord released = record("ids-1", now - 3 * day);
    released.state = worker::LeaseState::released;
    lease(released);
    const Outcome outcome = run(list_workers);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* part :
         {"name      orders\n", "registry  fake:orders\n",
          "layout    epoch 2010-11-04T01:42:54.657Z, bits 41+10+12, offset 10, limit 4\n", "floor     none\n",
          "next      12\n", "now       2026-11-30T23:52:07.014Z (this machine's clock)\n", "present   -\n",
          "2026-12-01T00:07:07.014Z (+15m)", "2026-11-27T23:52:07.014Z (-3d)", "10.0.0.7:8080"}) {
        EXPECT_THAT(outcome.out, HasSubstr(part));
    }
    EXPECT_THAT(outcome.out, testing::ContainsRegex("\n10 +held +01234567 +ids-0 "));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("\n11 +released +01234567 +ids-1 "));
    EXPECT_LT(outcome.out.find("ids-0"), outcome.out.find("ids-1"));
}

TEST_F(WorkerActions, ListTellsWhoIsPresentAndThatNumbersAreUsedUp) {
    test::FakeRegistry one(store_, "orders", space_, "ids-1");
    test::FakeRegistry other(store_, "orders", space_, "ids-0");
    (void)one.survey();
    (void)other.survey();
    EXPECT_THAT(run(list_workers).out, HasSubstr("present   ids-0, ids-1\n"));
    EXPECT_THAT(run(list_workers).out, HasSubstr("no worker ID was leased yet"));
    for (int i = 0; i < 4; ++i) lease(record("ids", now));
    EXPECT_THAT(run(list_workers).out, HasSubstr("next      none left"));
}

TEST_F(WorkerActions, ListShowsWhatOthersMade) {
    lease(record("ids-0", now));
    store_->put_foreign("orders", R"({"ip":"10.0.0.9","port":"8080","timestamp":1})", "");
    store_->put_foreign("orders", "nonsense", "0123456789abcdef0123456789abcdef");
    const std::string text = run(list_workers).out;
    EXPECT_THAT(text, testing::ContainsRegex("\n11 +leaf +- "));
    EXPECT_THAT(text, testing::ContainsRegex("\n12 +unreadable +- "));
    arguments_.json = true;
    const json::value list = json::parse(run(list_workers).out);
    EXPECT_EQ(list.at("workers").at(0).at("maker"), "frond");
    EXPECT_EQ(list.at("workers").at(1).at("maker"), "leaf");
    EXPECT_EQ(list.at("workers").at(2).at("maker"), "frond");
    EXPECT_EQ(list.at("workers").at(2).at("state"), "unreadable");
    EXPECT_FALSE(list.at("workers").at(2).at("problem").as_string().empty());
}

TEST_F(WorkerActions, ListShowsTheRegistrysClock) {
    store_->set_clock(std::chrono::hours(1));
    lease(record("ids-0", now));
    EXPECT_THAT(run(list_workers).out, HasSubstr("(the registry's clock)"));
    arguments_.json = true;
    EXPECT_EQ(json::parse(run(list_workers).out).at("clock"), "registry");
}

TEST_F(WorkerActions, ListAsJson) {
    lease(record("say \"hi\"", now + minute));
    arguments_.json = true;
    const std::string text = run(list_workers).out;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    const json::value list = json::parse(text);
    EXPECT_EQ(list.at("name"), "orders");
    EXPECT_EQ(list.at("registry"), "fake:orders");
    EXPECT_TRUE(list.at("floor_ms").is_null());
    EXPECT_EQ(list.at("next_worker_id"), 11);
    EXPECT_EQ(list.at("now_ms"), now);
    EXPECT_EQ(list.at("clock"), "local");
    EXPECT_EQ(list.at("layout").at("worker_id_offset"), 10);
    EXPECT_EQ(list.at("layout").at("epoch"), "2010-11-04T01:42:54.657Z");
    const json::value& worker = list.at("workers").at(0);
    EXPECT_EQ(worker.at("worker_id"), 10);
    EXPECT_EQ(worker.at("state"), "held");
    EXPECT_EQ(worker.at("identity"), "say \"hi\"");
    EXPECT_EQ(worker.at("owner"), "0123456789abcdef0123456789abcdef");
    EXPECT_EQ(worker.at("fence_ms"), now + minute);
    EXPECT_EQ(worker.at("offset_ms").as_int64(), now - 1000 - worker.at("modified_ms").as_int64());
}

TEST_F(WorkerActions, ShowPrintsARecordInFull) {
    lease(record("ids-0", now + 15 * minute));
    arguments_.worker_id = 10;
    const Outcome outcome = run(show_worker);
    EXPECT_EQ(outcome.code, 0);
    for (const char* part :
         {"worker ID  10\n", "state      held\n", "owner      0123456789abcdef0123456789abcdef\n",
          "write      w-ids-0\n", "identity   ids-0\n", "address    10.0.0.7:8080\n",
          "fence      2026-12-01T00:07:07.014Z (+15m)\n", "timestamp  2026-11-30T23:52:06.014Z (-1s)\n",
          "layout     epoch 2010-11-04T01:42:54.657Z", "modified   "}) {
        EXPECT_THAT(outcome.out, HasSubstr(part));
    }
    arguments_.json = true;
    EXPECT_EQ(json::parse(run(show_worker).out).at("write"), "w-ids-0");
}

TEST_F(WorkerActions, ShowOfAnUnknownNumberIsAnError) {
    lease(record("ids-0", now));
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{11}, INT64_MAX}) {
        arguments_.worker_id = number;
        const Outcome outcome = run(show_worker);
        EXPECT_EQ(outcome.code, 1);
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err,
                    HasSubstr("no record of worker ID " + std::to_string(number) + " under the name 'orders'"));
    }
}

TEST_F(WorkerActions, RaiseToATime) {
    lease(record("ids-0", now - day));
    arguments_.to_ms = now + minute;
    const Outcome outcome = run(raise_floor);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(floor(), now + minute);
    EXPECT_THAT(outcome.out, HasSubstr("floor of 'orders': 2026-11-30T23:53:07.014Z (+1m)\n"));
    EXPECT_THAT(log_, HasSubstr("audit: user "));
    EXPECT_THAT(log_, HasSubstr("raised the floor of worker leases of 'orders' to 2026-11-30T23:53:07.014Z"));
}

TEST_F(WorkerActions, RaiseByADurationAboveTheHighestFence) {
    lease(record("ids-0", now + 2 * minute));
    lease(record("ids-1", now - day));
    arguments_.by = std::chrono::minutes(3);
    EXPECT_EQ(run(raise_floor).code, 0);
    EXPECT_EQ(floor(), now + 5 * minute);
    EXPECT_EQ(run(raise_floor).code, 0);
    EXPECT_EQ(floor(), now + 8 * minute) << "above the floor when that is higher";
}

TEST_F(WorkerActions, RaiseByADurationAboveThePresentWhereNoFenceIsHigher) {
    lease(record("ids-0", now - day));
    arguments_.by = std::chrono::minutes(3);
    EXPECT_EQ(run(raise_floor).code, 0);
    EXPECT_EQ(floor(), now + 3 * minute);
}

TEST_F(WorkerActions, RaiseTakesTheHigherOfBoth) {
    lease(record("ids-0", now));
    arguments_.by = std::chrono::minutes(3);
    arguments_.to_ms = now + 4 * minute;
    EXPECT_EQ(run(raise_floor).code, 0);
    EXPECT_EQ(floor(), now + 4 * minute);
    arguments_.to_ms = now + 5 * minute;
    EXPECT_EQ(run(raise_floor).code, 0);
    EXPECT_EQ(floor(), now + 7 * minute);
}

TEST_F(WorkerActions, RaiseNeverLowers) {
    lease(record("ids-0", now - day));
    arguments_.to_ms = now + 5 * minute;
    (void)run(raise_floor);
    arguments_.to_ms = now + minute;
    const Outcome outcome = run(raise_floor);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(floor(), now + 5 * minute);
    EXPECT_THAT(outcome.out, HasSubstr("floor of 'orders': 2026-11-30T23:57:07.014Z (+5m)\nit was higher already"));
    EXPECT_EQ(log_, "") << "nothing was done that needs an audit";
}

TEST_F(WorkerActions, RaiseRefusesAbsurdTimes) {
    lease(record("ids-0", now - day));
    arguments_.to_ms = now + 366 * day;
    const Outcome outcome = run(raise_floor);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("more than a year ahead"));
    EXPECT_THAT(outcome.err, HasSubstr("--force"));
    EXPECT_EQ(floor(), INT64_MIN);
    arguments_.force = true;
    EXPECT_EQ(run(raise_floor).code, 0);
    EXPECT_EQ(floor(), now + 366 * day);
}

TEST_F(WorkerActions, RaiseNeverUsesUpTheTimestamps) {
    lease(record("ids-0", now));
    arguments_.force = true;
    arguments_.to_ms = SnowflakeLayout().last_timestamp_ms();
    EXPECT_EQ(run(raise_floor).code, 1);
    arguments_.to_ms = std::nullopt;
    arguments_.by = std::chrono::milliseconds::max();
    const Outcome outcome = run(raise_floor);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("the end of this layout's timestamps"));
    EXPECT_EQ(floor(), INT64_MIN);
}

TEST_F(WorkerActions, RaiseIntoThePastSaysThatItIsNotEnough) {
    lease(record("ids-0", now - day));
    arguments_.to_ms = now - minute;
    const Outcome outcome = run(raise_floor);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("the floor is in the past"));
    EXPECT_THAT(outcome.err, HasSubstr("`--to 2026-11-30T23:52:08.014Z`")) << "now and max_ahead";
}

TEST_F(WorkerActions, RaiseWarnsOfInstancesThatGoOn) {
    lease(record("ids-0", now + minute));
    arguments_.to_ms = now + minute;
    EXPECT_THAT(run(raise_floor).err, HasSubstr("held with a fence that is not past: 1;"));
    test::FakeRegistry instance(store_, "orders", space_, "ids-0");
    (void)instance.survey();
    EXPECT_THAT(run(raise_floor).err, HasSubstr("connected now: 1;"));
}

TEST_F(WorkerActions, SayWhenTheRegistryIsAway) {
    lease(record("ids-0", now));
    store_->set_available(false);
    for (const WorkerAction action : {list_workers, show_worker, raise_floor}) {
        const Outcome outcome = run(action);
        EXPECT_EQ(outcome.code, 1);
        EXPECT_THAT(outcome.err, HasSubstr("frond: "));
    }
}

TEST_F(WorkerActions, RaiseWithAnUnknownOutcomeSaysHowToFindOut) {
    lease(record("ids-0", now));
    arguments_.to_ms = now + minute;
    store_->lose_replies(1);
    const Outcome outcome = run(raise_floor);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("may have been done or not: `frond worker list` shows the floor"));
    EXPECT_EQ(log_, "");
}

// The same through the command line, over an SQLite file with one record.
class WorkerCommand : public CommandLine {
protected:
    WorkerCommand() {
        good({"init"});
        const server::Config config;
        const auto registry = server::make_worker_registry(config, {"ids-0", "", "1"});
        EXPECT_TRUE(std::holds_alternative<worker::Survey>((*registry)->survey()));
        worker::LeaseRecord record;
        record.owner = std::string(32, 'a');
        record.write = std::string(32, 'b');
        record.identity = "ids-0";
        record.port = "8080";
        record.timestamp = unix_ms(SystemClock().wall());
        record.fence = record.timestamp;
        record.space = *server::lease_space(config.snowflake);
        EXPECT_TRUE(std::holds_alternative<worker::Created>((*registry)->create(record)));
    }

    [[nodiscard]] static json::value list() { return json::parse(good({"worker", "list", "--json"})); }
};

TEST_F(WorkerCommand, ListsAndShows) {
    EXPECT_THAT(good({"worker", "list"}), HasSubstr("ids-0"));
    const auto id = list().at("workers").at(0).at("worker_id").as_int64();
    EXPECT_THAT(good({"worker", "show", std::to_string(id)}), HasSubstr("identity   ids-0\naddress    :8080\n"));
    const Outcome unknown = frond({"worker", "show", "1023"});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.err, HasSubstr("no record of worker ID 1023"));
}

TEST_F(WorkerCommand, RaisesInBothWaysOfWritingATime) {
    testing::internal::CaptureStdout();
    const std::int64_t time = unix_ms(SystemClock().wall()) + day;
    EXPECT_EQ(frond({"worker", "raise", "--to", format_rfc3339(time)}).code, 0);
    EXPECT_EQ(list().at("floor_ms"), time);
    EXPECT_EQ(frond({"worker", "raise", "--to", std::to_string(time + 5)}).code, 0);
    EXPECT_EQ(list().at("floor_ms"), time + 5);
    EXPECT_EQ(frond({"worker", "raise", "--by", "15m"}).code, 0);
    EXPECT_EQ(list().at("floor_ms"), time + 5 + 15 * minute);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("audit: user "));
}

TEST_F(WorkerCommand, NeedsARegistryAndAName) {
    const Outcome fixed =
        frond({"worker", "list", "--set", "snowflake.registry=static", "--set", "snowflake.worker_id=1"});
    EXPECT_EQ(fixed.code, 2);
    EXPECT_THAT(fixed.err, HasSubstr("\"static\""));
    const Outcome other = frond({"worker", "list", "--set", "snowflake.name=other"});
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.err, HasSubstr("other"));
    EXPECT_EQ(other.out, "");
}

}  // namespace
}  // namespace frond::cli
