// What SqlKeyAdmin promises, on every database.
#include "backend.hpp"
#include "sql/key_admin.hpp"
#include "sql/schema.hpp"
#include "sql/segment_store.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <limits>

namespace frond::sql {
namespace {

using segment::KeyChange;
using segment::KeyRecord;
using testing::HasSubstr;

constexpr std::int64_t max_number = std::numeric_limits<std::int64_t>::max();

class AdminContract : public testing::TestWithParam<std::string> {
protected:
    void create(const KeyRecord& record) {
        const auto done = admin.create(record);
        ASSERT_TRUE(done) << done.error().detail;
    }
    KeyRecord shown(std::string_view key) {
        const auto record = admin.show(key);
        EXPECT_TRUE(record) << record.error().detail;
        return record ? *record : KeyRecord();
    }
    std::vector<std::string> listed(std::string_view prefix, std::string_view after, std::size_t limit) {
        const auto records = admin.list(prefix, after, limit);
        EXPECT_TRUE(records) << records.error().detail;
        std::vector<std::string> keys;
        for (const auto& record : *records) keys.push_back(record.key);
        return keys;
    }

    std::unique_ptr<Backend> backend = make_backend(GetParam());
    std::shared_ptr<Database> database = backend->open();
    SqlKeyAdmin admin{database};
    SqlSegmentStore store{database};
};

INSTANTIATE_TEST_SUITE_P(Databases, AdminContract, testing::Values("sqlite", "mariadb"),
                         [](const auto& backend) { return backend.param; });

class AdminContractReady : public AdminContract {
protected:
    AdminContractReady() { EXPECT_TRUE(admin.init()); }
};

INSTANTIATE_TEST_SUITE_P(Databases, AdminContractReady, testing::Values("sqlite", "mariadb"),
                         [](const auto& backend) { return backend.param; });

TEST_P(AdminContract, InitSaysWhatItDid) {
    const auto first = admin.init();
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_THAT(*first, testing::Contains("created table leaf_alloc"));
    EXPECT_THAT(*first, testing::Contains("created table frond_key"));
    EXPECT_THAT(*first, testing::Contains("created table frond_worker"));
    create({.key = "order", .step = 10});
    const auto second = admin.init();
    ASSERT_TRUE(second) << second.error().detail;
    EXPECT_THAT(*second, testing::ElementsAre("table leaf_alloc is there already: left as it is",
                                              "table frond_key is there already: left as it is",
                                              "table frond_worker is there already: left as it is"));
    EXPECT_EQ(shown("order").step, 10);
}

// As made by a release that knew no leases.
TEST_P(AdminContract, InitAddsWhatAnEarlierReleaseDidNotMake) {
    ASSERT_TRUE(admin.init());
    create({.key = "order", .step = 10});
    backend->execute("DROP TABLE frond_worker");
    const auto again = admin.init();
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_THAT(*again, testing::Contains("created table frond_worker"));
    EXPECT_EQ(backend->ask("SELECT COUNT(*) FROM frond_worker"), "0");
    EXPECT_EQ(shown("order").step, 10);
}

TEST_P(AdminContract, WithoutTablesEverythingNamesInit) {
    ASSERT_TRUE(admin.init());
    backend->execute("DROP TABLE leaf_alloc");
    backend->execute("DROP TABLE frond_key");
    for (const Error& error :
         {admin.create({.key = "a"}).error(), admin.show("a").error(), admin.list("", "", 10).error(),
          admin.change("a", {}).error(), admin.raise_all(1).error()}) {
        EXPECT_EQ(error.code, errc::invalid_configuration) << error.detail;
        EXPECT_THAT(error.detail, HasSubstr("frond init"));
    }
}

TEST_P(AdminContract, WithoutFrondKeyLeafsColumnsStillWork) {
    ASSERT_TRUE(admin.init());
    backend->execute("DROP TABLE frond_key");
    create({.key = "order", .max_id = 7, .step = 10, .description = "d"});
    EXPECT_EQ(shown("order").max_id, 7);
    EXPECT_EQ(admin.change("order", {.step = 20})->step, 20);
    EXPECT_EQ(admin.raise("order", 3)->max_id, 10);
    EXPECT_EQ(*admin.raise_all(1), 1);
    EXPECT_EQ(listed("", "", 10), std::vector<std::string>{"order"});
    for (const Error& error : {admin.create({.key = "b", .delta = 2}).error(),
                               admin.change("order", {.disabled = true}).error(), admin.accept("order").error()}) {
        EXPECT_EQ(error.code, errc::invalid_configuration) << error.detail;
        EXPECT_THAT(error.detail, HasSubstr("frond init"));
    }
}

TEST_P(AdminContractReady, CreatesWhatItShows) {
    const KeyRecord record{.key = "order.pay",
                           .max_id = 100,
                           .step = 50,
                           .delta = 4,
                           .remainder = 3,
                           .max_step = 700,
                           .description = "it's \"the\" 订单 key",
                           .disabled = true};
    create(record);
    const KeyRecord found = shown("order.pay");
    EXPECT_EQ(found.key, record.key);
    EXPECT_EQ(found.max_id, 100);
    EXPECT_EQ(found.step, 50);
    EXPECT_EQ(found.delta, 4);
    EXPECT_EQ(found.remainder, 3);
    EXPECT_EQ(found.max_step, 700);
    EXPECT_EQ(found.description, record.description);
    EXPECT_TRUE(found.disabled);
    EXPECT_THAT(found.update_time, testing::StartsWith("20"));
}

TEST_P(AdminContractReady, KeepsWhatExists) {
    create({.key = "order", .step = 10});
    const auto again = admin.create({.key = "order", .step = 20});
    EXPECT_EQ(again.error().code, errc::key_exists);
    EXPECT_EQ(shown("order").step, 10);
}

TEST_P(AdminContractReady, OnlyOneOfManyCreates) {
    std::vector<std::future<errc>> work;
    for (int i = 0; i < 6; ++i) {
        work.push_back(std::async(std::launch::async, [&] {
            const auto done = admin.create({.key = "order", .step = 10});
            return done ? errc{} : done.error().code;
        }));
    }
    int created = 0;
    for (auto& job : work) {
        const errc code = job.get();
        if (code == errc{}) ++created;
        EXPECT_TRUE(code == errc{} || code == errc::key_exists) << code_name(code);
    }
    EXPECT_EQ(created, 1);
}

TEST_P(AdminContractReady, RefusesSettingsThatMakeNoRange) {
    const std::vector<std::pair<KeyRecord, std::string>> bad = {
        {{.key = "k", .step = 0}, "step is 0"},
        {{.key = "k", .step = -1}, "step is -1"},
        {{.key = "k", .step = std::int64_t{1} << 31}, "step is 2147483648"},
        {{.key = "k", .delta = 0}, "delta is 0"},
        {{.key = "k", .delta = 4, .remainder = 4}, "remainder is 4"},
        {{.key = "k", .remainder = -1}, "remainder is -1"},
        {{.key = "k", .step = 3, .delta = 4}, "at least delta (4)"},
        {{.key = "k", .max_step = 0}, "max_step is 0"},
        {{.key = "k", .max_id = -1}, "max_id is -1"},
        {{.key = "k", .description = std::string(257, 'x')}, "256 characters"},
        {{.key = "k", .description = "\xFF"}, "UTF-8"},
    };
    for (const auto& [record, what] : bad) {
        const auto done = admin.create(record);
        ASSERT_FALSE(done) << what;
        EXPECT_EQ(done.error().code, errc::key_misconfigured);
        EXPECT_THAT(done.error().detail, HasSubstr(what));
        EXPECT_THAT(done.error().detail, HasSubstr("'k'"));
    }
    for (const std::string& key : {std::string(), std::string(129, 'k'), std::string("a\nb"), std::string("\xFF")}) {
        EXPECT_EQ(admin.create({.key = key}).error().code, errc::invalid_key);
        EXPECT_EQ(admin.show(key).error().code, errc::invalid_key);
        EXPECT_EQ(admin.change(key, {}).error().code, errc::invalid_key);
        EXPECT_EQ(admin.accept(key).error().code, errc::invalid_key);
        EXPECT_EQ(admin.raise(key, 1).error().code, errc::invalid_key);
    }
    EXPECT_TRUE(listed("", "", 10).empty());
    create({.key = "edge", .step = 4, .delta = 4, .remainder = 3, .description = std::string(256, 'x')});
}

TEST_P(AdminContractReady, ChangesOnlyWhatItIsTold) {
    create({.key = "order", .max_id = 500, .step = 10, .max_step = 900, .description = "old"});
    EXPECT_EQ(admin.change("order", {.step = 20})->step, 20);
    EXPECT_EQ(admin.change("order", {.description = "new"})->description, "new");
    EXPECT_EQ(admin.change("order", {.delta = 2, .remainder = 1})->remainder, 1);
    EXPECT_TRUE(admin.change("order", {.disabled = true})->disabled);
    const KeyRecord found = shown("order");
    EXPECT_EQ(found.max_id, 500);
    EXPECT_EQ(found.step, 20);
    EXPECT_EQ(found.delta, 2);
    EXPECT_EQ(found.remainder, 1);
    EXPECT_EQ(found.max_step, 900);
    EXPECT_EQ(found.description, "new");
    EXPECT_EQ(admin.change("order", {})->step, 20);
}

TEST_P(AdminContractReady, ChangesAreCheckedAgainstTheWholeRow) {
    create({.key = "order", .step = 10, .delta = 4, .remainder = 3});
    for (const KeyChange& change :
         {KeyChange{.delta = 3}, KeyChange{.remainder = 4}, KeyChange{.step = 3}, KeyChange{.max_step = 0}}) {
        EXPECT_EQ(admin.change("order", change).error().code, errc::key_misconfigured);
    }
    EXPECT_EQ(shown("order").delta, 4);
    EXPECT_EQ(admin.change("nope", {.step = 1}).error().code, errc::key_not_found);
}

// Leaf's own rows have no row in frond_key yet.
TEST_P(AdminContractReady, ChangesAKeyThatLeafMade) {
    backend->execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('leafs', 1, 10)");
    const auto changed = admin.change("leafs", {.max_step = 50});
    ASSERT_TRUE(changed) << changed.error().detail;
    EXPECT_EQ(changed->max_step, 50);
    EXPECT_EQ(changed->step, 10);
    EXPECT_EQ(shown("leafs").description, "");
}

TEST_P(AdminContractReady, RepairsABrokenRow) {
    backend->execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('broken', 1, 0)");
    EXPECT_EQ(shown("broken").step, 0);
    EXPECT_EQ(admin.change("broken", {.step = 10})->step, 10);
}

TEST_P(AdminContractReady, ListsByBytesInPages) {
    for (const char* key : {"b", "a", "B", "a.b", "a%", "a_", "ä", "🚀", "gone"}) create({.key = key, .step = 10});
    backend->execute("UPDATE frond_key SET deleted = 1 WHERE key_name = 'gone'");
    using Keys = std::vector<std::string>;
    EXPECT_EQ(listed("", "", 100), (Keys{"B", "a", "a%", "a.b", "a_", "b", "ä", "🚀"}));
    EXPECT_EQ(listed("", "", 3), (Keys{"B", "a", "a%"}));
    EXPECT_EQ(listed("", "a%", 3), (Keys{"a.b", "a_", "b"}));
    EXPECT_EQ(listed("", "ä", 3), (Keys{"🚀"}));
    EXPECT_EQ(listed("", "🚀", 3), Keys());
    EXPECT_EQ(listed("a", "", 100), (Keys{"a", "a%", "a.b", "a_"}));
    EXPECT_EQ(listed("a%", "", 100), (Keys{"a%"}));
    EXPECT_EQ(listed("A", "", 100), Keys());
    EXPECT_EQ(listed("ä", "", 100), (Keys{"ä"}));
    EXPECT_EQ(listed("a", "a%", 1), (Keys{"a.b"}));
    EXPECT_EQ(listed("", "", 0), Keys());
    EXPECT_EQ(listed("", "", std::numeric_limits<std::size_t>::max()).size(), 8u);
}

TEST_P(AdminContractReady, DeletedKeysAreGone) {
    create({.key = "gone", .step = 10});
    backend->execute("UPDATE frond_key SET deleted = 1 WHERE key_name = 'gone'");
    EXPECT_EQ(admin.show("gone").error().code, errc::key_not_found);
    EXPECT_EQ(admin.change("gone", {.step = 1}).error().code, errc::key_not_found);
    EXPECT_EQ(admin.accept("gone").error().code, errc::key_not_found);
    EXPECT_EQ(admin.raise("gone", 1).error().code, errc::key_not_found);
}

TEST_P(AdminContractReady, AKeyComesBackAboveItsFloor) {
    create({.key = "row", .max_id = 900, .step = 10, .delta = 2, .remainder = 1, .disabled = true});
    create({.key = "norow", .max_id = 900, .step = 10});
    create({.key = "lagging", .max_id = 900, .step = 10});
    backend->execute("UPDATE frond_key SET deleted = 1, floor = 1000");
    backend->execute("DELETE FROM leaf_alloc WHERE biz_tag = 'norow'");
    backend->execute("UPDATE leaf_alloc SET max_id = 2000 WHERE biz_tag = 'lagging'");
    for (const char* key : {"row", "norow", "lagging"}) create({.key = key, .step = 20});
    EXPECT_EQ(shown("row").max_id, 1000);
    EXPECT_EQ(shown("row").delta, 1);
    EXPECT_FALSE(shown("row").disabled);
    EXPECT_EQ(shown("norow").max_id, 1000);
    EXPECT_EQ(shown("lagging").max_id, 2000);
    EXPECT_EQ(store.advance("norow", {})->range.first, 1000);
    EXPECT_EQ(admin.create({.key = "row"}).error().code, errc::key_exists);
}

TEST_P(AdminContractReady, CountsAccepts) {
    create({.key = "order", .step = 10});
    backend->execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('leafs', 1, 10)");
    for (const char* key : {"order", "leafs"}) {
        EXPECT_EQ(store.advance(key, {})->accepted, 0);
        ASSERT_TRUE(admin.accept(key));
        ASSERT_TRUE(admin.accept(key));
        EXPECT_EQ(store.advance(key, {})->accepted, 2);
    }
    EXPECT_EQ(admin.accept("nope").error().code, errc::key_not_found);
}

TEST_P(AdminContractReady, Raises) {
    create({.key = "a", .max_id = 10, .step = 10});
    create({.key = "b", .max_id = 20, .step = 10});
    create({.key = "gone", .step = 10});
    backend->execute("UPDATE frond_key SET deleted = 1, floor = 50 WHERE key_name = 'gone'");
    backend->execute("DELETE FROM leaf_alloc WHERE biz_tag = 'gone'");
    EXPECT_EQ(admin.raise("a", 5)->max_id, 15);
    EXPECT_EQ(*admin.raise_all(1000), 2);
    EXPECT_EQ(shown("a").max_id, 1015);
    EXPECT_EQ(shown("b").max_id, 1020);
    create({.key = "gone", .step = 10});
    EXPECT_EQ(shown("gone").max_id, 1050);
    EXPECT_EQ(admin.raise_all(0).error().code, errc::bad_request);
    EXPECT_EQ(admin.raise("a", -1).error().code, errc::bad_request);
    EXPECT_EQ(admin.raise("nope", 1).error().code, errc::key_not_found);
}

TEST_P(AdminContractReady, RaisesNothingPastTheEnd) {
    create({.key = "a", .max_id = 10, .step = 10});
    create({.key = "end", .max_id = max_number - 5, .step = 10});
    const auto all = admin.raise_all(6);
    EXPECT_EQ(all.error().code, errc::key_exhausted);
    EXPECT_THAT(all.error().detail, HasSubstr("'end'"));
    EXPECT_EQ(admin.raise("end", 6).error().code, errc::key_exhausted);
    EXPECT_EQ(shown("a").max_id, 10);
    EXPECT_EQ(*admin.raise_all(5), 2);
    EXPECT_EQ(shown("end").max_id, max_number);
}

TEST_P(AdminContractReady, KeepsTheTimeOfTheLastChange) {
    create({.key = "order", .step = 10});
    backend->execute("UPDATE leaf_alloc SET update_time = '2001-02-03 04:05:06'");
    EXPECT_THAT(shown("order").update_time, testing::StartsWith("2001-02-03 04:05:06"));
    ASSERT_TRUE(store.advance("order", {}));
    EXPECT_THAT(shown("order").update_time, testing::Not(testing::StartsWith("2001")));
}

TEST(Schema, IsCompiledIn) {
    for (const Engine engine : {Engine::sqlite, Engine::mysql}) {
        const auto statements = table_statements(leaf_schema(engine));
        ASSERT_EQ(statements.size(), 2u);
        EXPECT_EQ(statements[0].table, "leaf_alloc");
        EXPECT_EQ(statements[1].table, "frond_key");
        for (const auto& statement : statements) {
            EXPECT_THAT(statement.sql, testing::StartsWith("CREATE TABLE IF NOT EXISTS " + statement.table + " ("));
            EXPECT_THAT(statement.sql, testing::Not(HasSubstr("--")));
            EXPECT_THAT(statement.sql, testing::Not(HasSubstr(";")));
        }
        const auto worker = table_statements(worker_schema(engine));
        ASSERT_EQ(worker.size(), 1u);
        EXPECT_EQ(worker[0].table, "frond_worker");
    }
}

}  // namespace
}  // namespace frond::sql
