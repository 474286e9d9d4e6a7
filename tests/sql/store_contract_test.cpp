// What SqlSegmentStore promises, on every database.
#include "backend.hpp"
#include "sql/key_admin.hpp"
#include "sql/query.hpp"
#include "sql/segment_store.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <limits>
#include <map>
#include <thread>

namespace frond::sql {
namespace {

using segment::Grant;
using segment::KeyRecord;
using segment::Range;
using segment::StepRequest;

constexpr std::int64_t max_number = std::numeric_limits<std::int64_t>::max();

class StoreContract : public testing::TestWithParam<std::string> {
protected:
    StoreContract() { EXPECT_TRUE(admin.init()); }

    void create(const KeyRecord& record) {
        const auto done = admin.create(record);
        ASSERT_TRUE(done) << done.error().detail;
    }
    // Puts a row in as somebody else would; `max_id` and `step` are SQL.
    void insert(const std::string& key, const std::string& max_id, const std::string& step) {
        backend->execute(
            fmt::format("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('{}', {}, {})", key, max_id, step));
    }
    [[nodiscard]] std::string max_id(const std::string& key) const {
        return backend->ask(fmt::format("SELECT max_id FROM leaf_alloc WHERE biz_tag = '{}'", key));
    }
    Range range(std::string_view key, const StepRequest& request = {}) {
        const auto grant = store.advance(key, request);
        EXPECT_TRUE(grant) << grant.error().detail;
        return grant ? grant->range : Range();
    }
    Error failure(std::string_view key, const StepRequest& request = {}) {
        auto grant = store.advance(key, request);
        EXPECT_FALSE(grant);
        return grant ? Error(errc::internal) : grant.error();
    }

    std::unique_ptr<Backend> backend = make_backend(GetParam());
    std::shared_ptr<Database> database = backend->open();
    SqlSegmentStore store{database};
    SqlKeyAdmin admin{database};
};

INSTANTIATE_TEST_SUITE_P(Databases, StoreContract, testing::Values("sqlite", "mariadb"),
                         [](const auto& backend) { return backend.param; });

TEST_P(StoreContract, GivesLeafsRanges) {
    create({.key = "order", .step = 2000});
    const auto grant = store.advance("order", {});
    ASSERT_TRUE(grant) << grant.error().detail;
    EXPECT_EQ(grant->range, (Range{1, 2001, 1, 0}));
    EXPECT_EQ(grant->row_step, 2000);
    EXPECT_EQ(grant->max_step, 1'000'000);
    EXPECT_EQ(grant->accepted, 0);
    EXPECT_EQ(range("order"), (Range{2001, 4001, 1, 0}));
    EXPECT_EQ(max_id("order"), "4001");
}

TEST_P(StoreContract, TakesTheAdaptedStepWhileTheRowsStepIsAsKnown) {
    create({.key = "order", .step = 100});
    EXPECT_EQ(range("order", {.known_row_step = 100, .step = 400}).last_exclusive, 401);
    EXPECT_EQ(range("order", {.known_row_step = 50, .step = 400}).last_exclusive, 501);
    EXPECT_EQ(range("order", {.known_row_step = 100, .step = 100, .at_least = 5000}).last_exclusive, 5501);
}

TEST_P(StoreContract, CarriesDeltaRemainderAndMaxStep) {
    create({.key = "order", .step = 1000, .delta = 4, .remainder = 3, .max_step = 5000});
    const auto grant = store.advance("order", {.at_least = 1000});
    ASSERT_TRUE(grant) << grant.error().detail;
    EXPECT_EQ(grant->range, (Range{1, 4001, 4, 3}));
    EXPECT_EQ(grant->max_step, 5000);
}

TEST_P(StoreContract, KnowsKeysByteForByte) {
    const std::vector<std::string> keys = {"order", "ORDER",  " order",      "order.pay",       "a/b",  "100%", "o_der",
                                           "a b",   "o'r\"d", "back\\slash", "semi;colon:name", "订单", "🚀",    "🚀🚀",
                                           "Ä",     "ä"};
    for (const std::string& key : keys) create({.key = key, .step = 10});
    for (const std::string& key : keys) EXPECT_EQ(range(key), (Range{1, 11, 1, 0})) << key;
    for (const char* key : {"Order", "order ", "orde", "order.", "%", "_", "o%", "🚁", "A"}) {
        EXPECT_EQ(failure(key).code, errc::key_not_found) << key;
    }
}

TEST_P(StoreContract, DoesNotFindWhatIsNotThere) {
    const Error error = failure("nope");
    EXPECT_EQ(error.code, errc::key_not_found);
    EXPECT_NE(error.detail.find("'nope'"), std::string::npos);
    EXPECT_EQ(failure("").code, errc::invalid_key);
    EXPECT_EQ(failure(std::string("a\0b", 3)).code, errc::invalid_key);
    create({.key = "nope", .step = 10});
    EXPECT_EQ(range("nope").first, 1);
}

TEST_P(StoreContract, HoldsLongKeys) {
    std::string key;
    for (int i = 0; i < 128; ++i) key += "🚀";
    create({.key = key, .step = 10});
    EXPECT_EQ(range(key).first, 1);
}

TEST_P(StoreContract, RefusesRowsThatMakeNoRange) {
    insert("step0", "1", "0");
    insert("step-1", "1", "-1");
    insert("negative", "-5", "10");
    for (const auto& [key, column] :
         std::map<std::string, std::string>{{"step0", "step"}, {"step-1", "step"}, {"negative", "max_id"}}) {
        const Error error = failure(key);
        EXPECT_EQ(error.code, errc::key_misconfigured) << key;
        EXPECT_NE(error.detail.find(key), std::string::npos) << error.detail;
        EXPECT_NE(error.detail.find(column), std::string::npos) << error.detail;
    }
    EXPECT_EQ(max_id("step0"), "1");
    EXPECT_EQ(max_id("negative"), "-5");
}

TEST_P(StoreContract, RefusesExtrasThatMakeNoRange) {
    const auto with_extras = [&](const std::string& key, const std::string& columns, const std::string& values) {
        insert(key, "1", "10");
        backend->execute(fmt::format("INSERT INTO frond_key (key_name, {}) VALUES ('{}', {})", columns, key, values));
        const Error error = failure(key);
        EXPECT_EQ(error.code, errc::key_misconfigured) << key;
        EXPECT_NE(error.detail.find(key), std::string::npos) << error.detail;
        EXPECT_EQ(max_id(key), "1") << key;
        return error.detail;
    };
    EXPECT_NE(with_extras("a", "delta", "0").find("delta is 0"), std::string::npos);
    EXPECT_NE(with_extras("b", "delta, remainder", "4, 4").find("remainder is 4"), std::string::npos);
    EXPECT_NE(with_extras("c", "delta, remainder", "4, -1").find("remainder is -1"), std::string::npos);
    EXPECT_NE(with_extras("d", "max_step", "0").find("max_step is 0"), std::string::npos);
    EXPECT_NE(with_extras("e", "delta, remainder", "1000, 999").find("step"), std::string::npos)
        << "no ID in the range";
}

TEST_P(StoreContract, DoesNotIssueDisabledAndDeletedKeys) {
    create({.key = "off", .step = 10, .disabled = true});
    create({.key = "gone", .step = 10});
    backend->execute("UPDATE frond_key SET deleted = 1 WHERE key_name = 'gone'");
    EXPECT_EQ(failure("off").code, errc::key_not_found);
    EXPECT_EQ(failure("gone").code, errc::key_not_found);
    EXPECT_EQ(max_id("off"), "1");
    ASSERT_TRUE(admin.change("off", {.disabled = false}));
    EXPECT_EQ(range("off").first, 1);
}

TEST_P(StoreContract, IsExactFarUp) {
    for (const std::int64_t first : {(std::int64_t{1} << 31) - 5, (std::int64_t{1} << 53) - 5}) {
        const std::string key = fmt::format("k{}", first);
        create({.key = key, .max_id = first, .step = 10});
        EXPECT_EQ(range(key), (Range{first, first + 10, 1, 0}));
        EXPECT_EQ(range(key), (Range{first + 10, first + 20, 1, 0}));
        EXPECT_EQ(max_id(key), std::to_string(first + 20));
    }
}

TEST_P(StoreContract, StopsBeforeTheEnd) {
    create({.key = "end", .max_id = max_number - 15, .step = 10});
    EXPECT_EQ(range("end"), (Range{max_number - 15, max_number - 5, 1, 0}));
    const Error error = failure("end");
    EXPECT_EQ(error.code, errc::key_exhausted);
    EXPECT_NE(error.detail.find("'end'"), std::string::npos);
    EXPECT_EQ(max_id("end"), std::to_string(max_number - 5));
    EXPECT_EQ(failure("end", {.at_least = max_number}).code, errc::key_exhausted);
    insert("last", std::to_string(max_number), "1");
    EXPECT_EQ(failure("last").code, errc::key_exhausted);
    insert("exact", std::to_string(max_number - 10), "10");
    EXPECT_EQ(range("exact").last_exclusive, max_number);
}

TEST_P(StoreContract, RefusesATableThatWentBackwards) {
    create({.key = "order", .step = 10});
    const StepRequest guard{.not_below = 100, .known_accepted = 0};
    const Error error = failure("order", guard);
    EXPECT_EQ(error.code, errc::store_went_backwards);
    EXPECT_EQ(max_id("order"), "1");
    ASSERT_TRUE(admin.accept("order"));
    const auto grant = store.advance("order", guard);
    ASSERT_TRUE(grant) << grant.error().detail;
    EXPECT_EQ(grant->range.first, 1);
    EXPECT_EQ(grant->accepted, 1);
    EXPECT_EQ(range("order", {.not_below = 11, .known_accepted = 1}).first, 11);
}

TEST_P(StoreContract, HandsBackTheTailOnce) {
    create({.key = "order", .step = 100});
    ASSERT_EQ(range("order"), (Range{1, 101, 1, 0}));
    const auto back = store.hand_back("order", 40, 101);
    ASSERT_TRUE(back) << back.error().detail;
    EXPECT_TRUE(*back);
    EXPECT_EQ(range("order"), (Range{40, 140, 1, 0}));
    const auto again = store.hand_back("order", 50, 101);
    ASSERT_TRUE(again);
    EXPECT_FALSE(*again) << "somebody allocated after it";
    EXPECT_EQ(max_id("order"), "140");
    EXPECT_EQ(store.hand_back("nope", 1, 2).error().code, errc::key_not_found);
    EXPECT_EQ(store.hand_back("ORDER", 50, 140).error().code, errc::key_not_found);
    EXPECT_EQ(max_id("order"), "140");
    EXPECT_TRUE(*store.hand_back("order", 140, 140));
    EXPECT_FALSE(store.hand_back("order", 141, 140));
}

TEST_P(StoreContract, HandsBackNothingOfADeletedKey) {
    create({.key = "gone", .step = 100});
    ASSERT_EQ(range("gone").last_exclusive, 101);
    backend->execute("UPDATE frond_key SET deleted = 1, floor = 101 WHERE key_name = 'gone'");
    const auto back = store.hand_back("gone", 40, 101);
    ASSERT_TRUE(back);
    EXPECT_FALSE(*back);
}

TEST_P(StoreContract, ListsKeysByTheirBytes) {
    for (const char* key : {"b", "a", "B", "ä", "🚀", "a.b", "a b", "off", "gone"}) create({.key = key, .step = 10});
    backend->execute("UPDATE frond_key SET deleted = 1 WHERE key_name = 'gone'");
    backend->execute("UPDATE frond_key SET disabled = 1 WHERE key_name = 'off'");
    insert("", "1", "10");
    const auto keys = store.keys();
    ASSERT_TRUE(keys) << keys.error().detail;
    EXPECT_EQ(*keys, (std::vector<std::string>{"B", "a", "a b", "a.b", "b", "ä", "🚀"}));
}

TEST_P(StoreContract, WorksOnLeafsTableAlone) {
    backend->execute("DROP TABLE frond_key");
    insert("order", "1", "2000");
    EXPECT_TRUE(store.check());
    EXPECT_EQ(range("order"), (Range{1, 2001, 1, 0}));
    EXPECT_EQ(*store.keys(), std::vector<std::string>{"order"});
    EXPECT_TRUE(*store.hand_back("order", 1001, 2001));
    // frond_key appears: noticed at once.
    ASSERT_TRUE(admin.init());
    backend->execute("INSERT INTO frond_key (key_name, delta, remainder) VALUES ('order', 2, 1)");
    EXPECT_EQ(range("order"), (Range{1001, 3001, 2, 1}));
    backend->execute("UPDATE frond_key SET disabled = 1");
    EXPECT_EQ(failure("order").code, errc::key_not_found);
    EXPECT_TRUE(store.keys()->empty());
}

TEST_P(StoreContract, NeedsTheTable) {
    EXPECT_TRUE(store.check());
    backend->execute("DROP TABLE leaf_alloc");
    const auto checked = store.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, errc::invalid_configuration);
    EXPECT_NE(checked.error().detail.find("frond init"), std::string::npos) << checked.error().detail;
    const Error error = failure("order");
    EXPECT_EQ(error.code, errc::store_unavailable);
    EXPECT_EQ(error.detail.find("leaf_alloc"), std::string::npos) << error.detail;
    EXPECT_EQ(error.detail.find("SELECT"), std::string::npos) << error.detail;
    EXPECT_EQ(store.keys().error().code, errc::store_unavailable);
}

TEST_P(StoreContract, IdentityHoldsNoUserAndNoPassword) {
    const std::string identity = store.identity();
    EXPECT_TRUE(identity.starts_with("sqlite:/") || identity.starts_with("mysql://127.0.0.1:")) << identity;
    EXPECT_EQ(identity.find('@'), std::string::npos) << identity;
}

// Two servers and many threads on one key: every number is in one range only, and none is lost.
TEST_P(StoreContract, NeverGivesANumberTwice) {
    constexpr int threads = 8;
    constexpr int rounds = 40;
    create({.key = "order", .step = 7});
    SqlSegmentStore other(backend->open());
    std::vector<std::future<std::vector<Range>>> work;
    for (int i = 0; i < threads; ++i) {
        SqlSegmentStore& mine = i % 2 == 0 ? store : other;
        work.push_back(std::async(std::launch::async, [&mine] {
            std::vector<Range> ranges;
            for (int round = 0; round < rounds; ++round) {
                const auto grant = mine.advance("order", {});
                EXPECT_TRUE(grant) << grant.error().detail;
                if (grant) ranges.push_back(grant->range);
            }
            return ranges;
        }));
    }
    std::vector<Range> all;
    for (auto& job : work) {
        const auto ranges = job.get();
        EXPECT_TRUE(std::is_sorted(ranges.begin(), ranges.end(),
                                   [](const Range& a, const Range& b) { return a.first < b.first; }));
        all.insert(all.end(), ranges.begin(), ranges.end());
    }
    std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    ASSERT_EQ(all.size(), static_cast<std::size_t>(threads * rounds));
    std::int64_t expected = 1;
    for (const Range& range : all) {
        ASSERT_EQ(range.first, expected);
        expected = range.last_exclusive;
    }
    EXPECT_EQ(max_id("order"), std::to_string(expected));
}

// More callers than sessions: they wait for one another.
TEST_P(StoreContract, SharesAFewSessions) {
    create({.key = "order", .step = 10});
    DatabaseOptions options = backend->options();
    options.pool_size = 1;
    SqlSegmentStore narrow(*Database::make(options));
    std::vector<std::future<bool>> work;
    for (int i = 0; i < 8; ++i) {
        work.push_back(std::async(std::launch::async, [&] { return narrow.advance("order", {}).has_value(); }));
    }
    for (auto& job : work) EXPECT_TRUE(job.get());
    EXPECT_EQ(max_id("order"), "81");
}

// A session held for longer than the query time-out: the next caller gets an error, not a hang.
TEST_P(StoreContract, WaitsForASessionOnlySoLong) {
    create({.key = "order", .step = 10});
    DatabaseOptions options = backend->options();
    options.pool_size = 1;
    options.query_timeout = std::chrono::seconds(1);
    const auto narrow = *Database::make(options);
    std::promise<void> held;
    std::promise<void> release;
    auto holder = std::async(std::launch::async, [&] {
        return narrow->read(Audience::client, [&](soci::session&) -> Result<bool> {
            held.set_value();
            release.get_future().wait();
            return true;
        });
    });
    held.get_future().wait();
    SqlSegmentStore waiting(narrow);
    EXPECT_EQ(waiting.advance("order", {}).error().code, errc::store_unavailable);
    release.set_value();
    EXPECT_TRUE(holder.get());
    EXPECT_TRUE(waiting.advance("order", {}));
}

}  // namespace
}  // namespace frond::sql
