// What only MySQL and MariaDB do: collations, permissions, durability settings, TLS, and servers that misbehave.
#include "support/mariadb_server.hpp"

#include "certificates.hpp"
#include "sql/key_admin.hpp"
#include "sql/query.hpp"
#include "sql/segment_store.hpp"
#include "support/lossy_proxy.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <vector>

namespace frond::sql {
namespace {

using segment::Range;
using std::chrono::seconds;
using test::LossyProxy;
using test::MariadbServer;
using testing::HasSubstr;
using testing::Not;

// Leaf's own script, save for its DROP.
std::string leafs_table(std::string_view charset) {
    return fmt::format(
        "CREATE TABLE leaf_alloc (biz_tag varchar(128) NOT NULL DEFAULT '', max_id bigint(20) NOT NULL DEFAULT '1', "
        "step int(11) NOT NULL, description varchar(256) DEFAULT NULL, update_time timestamp NOT NULL DEFAULT "
        "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (biz_tag)) ENGINE=InnoDB {}",
        charset);
}

class Mariadb : public testing::Test {
protected:
    [[nodiscard]] DatabaseOptions options() const {
        DatabaseOptions options;
        options.url = server.url(name);
        options.connect_timeout = seconds(1);
        options.query_timeout = seconds(1);
        return options;
    }
    static std::shared_ptr<Database> open(const DatabaseOptions& options) {
        auto database = Database::make(options);
        EXPECT_TRUE(database) << database.error().detail;
        return *database;
    }
    void execute(const std::string& sql) const { server.execute(sql, name); }
    [[nodiscard]] std::string ask(const std::string& sql) const { return server.ask(sql, name); }
    [[nodiscard]] std::string max_id(const std::string& key) const {
        return ask(fmt::format("SELECT max_id FROM leaf_alloc WHERE biz_tag = '{}'", key));
    }
    void init_with_key(const std::string& key, std::int64_t step) {
        ASSERT_TRUE(admin.init());
        const auto done = admin.create({.key = key, .step = step});
        ASSERT_TRUE(done) << done.error().detail;
    }
    errc failure(SqlSegmentStore& from, std::string_view key) {
        const auto grant = from.advance(key, {});
        EXPECT_FALSE(grant) << key;
        return grant ? errc::internal : grant.error().code;
    }

    MariadbServer& server = MariadbServer::shared();
    const std::string name = server.new_database();
    std::shared_ptr<Database> database = open(options());
    SqlSegmentStore store{database};
    SqlKeyAdmin admin{database};
};

TEST_F(Mariadb, ComparesKeysByteForByteUnderAnyCollation) {
    for (const char* charset :
         {"", "DEFAULT CHARSET=latin1", "DEFAULT CHARSET=utf8mb3", "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
          "DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci", "DEFAULT CHARSET=ascii", "DEFAULT CHARSET=ucs2"}) {
        execute("DROP TABLE IF EXISTS leaf_alloc, frond_key");
        execute(leafs_table(charset));
        ASSERT_TRUE(admin.init());
        execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('order', 1, 10)");
        const auto grant = store.advance("order", {});
        ASSERT_TRUE(grant) << charset << ": " << grant.error().detail;
        EXPECT_EQ(grant->range, (Range{1, 11, 1, 0}));
        for (const char* other : {"ORDER", "Order", "order ", "örder", "ｏｒｄｅｒ", "🚀", "订单", "order🚀"}) {
            EXPECT_EQ(failure(store, other), errc::key_not_found) << charset << " " << other;
            EXPECT_EQ(store.hand_back(other, 5, 11).error().code, errc::key_not_found) << charset << " " << other;
            EXPECT_EQ(admin.show(other).error().code, errc::key_not_found) << charset << " " << other;
        }
        EXPECT_EQ(max_id("order"), "11") << charset;
        EXPECT_EQ(*store.keys(), std::vector<std::string>{"order"}) << charset;
        EXPECT_TRUE(store.check()) << charset;
    }
}

TEST_F(Mariadb, SaysWhyAKeyCannotBeCreated) {
    execute(leafs_table("DEFAULT CHARSET=latin1"));
    ASSERT_TRUE(admin.init());
    ASSERT_TRUE(admin.create({.key = "order"}));
    const auto spelling = admin.create({.key = "ORDER"});
    EXPECT_EQ(spelling.error().code, errc::key_exists);
    EXPECT_THAT(spelling.error().detail, HasSubstr("'order'"));
    const auto rocket = admin.create({.key = "🚀"});
    EXPECT_EQ(rocket.error().code, errc::invalid_key);
    EXPECT_THAT(rocket.error().detail, HasSubstr("character set"));
    EXPECT_TRUE(admin.create({.key = "bücher"}));
    EXPECT_EQ(store.advance("bücher", {})->range.first, 1);
    EXPECT_EQ(*store.keys(), (std::vector<std::string>{"bücher", "order"}));
}

TEST_F(Mariadb, ExtrasBelongToTheExactKey) {
    execute(leafs_table("DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_nopad_ci"));
    ASSERT_TRUE(admin.init());
    execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('order', 1, 10), ('order ', 1, 10)");
    execute("INSERT INTO frond_key (key_name, delta, remainder) VALUES ('order ', 2, 1)");
    EXPECT_EQ(store.advance("order", {})->range.delta, 1);
    EXPECT_EQ(store.advance("order ", {})->range.delta, 2);
}

TEST_F(Mariadb, TakesAnExistingTableAsItIs) {
    execute(leafs_table(""));
    execute("INSERT INTO leaf_alloc (biz_tag, max_id, step, description) VALUES ('order', 5001, 500, NULL)");
    const std::string before = server.ask("SHOW CREATE TABLE leaf_alloc", name, 1);
    const auto done = admin.init();
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_THAT(*done, testing::ElementsAre("table leaf_alloc is there already: left as it is",
                                            "created table frond_key", "created table frond_worker"));
    EXPECT_EQ(server.ask("SHOW CREATE TABLE leaf_alloc", name, 1), before);
    EXPECT_EQ(store.advance("order", {})->range, (Range{5001, 5501, 1, 0}));
    EXPECT_EQ(admin.show("order")->description, "");
}

TEST_F(Mariadb, MakesLeafsTable) {
    ASSERT_TRUE(admin.init());
    const std::string made = server.ask("SHOW CREATE TABLE leaf_alloc", name, 1);
    execute("DROP TABLE leaf_alloc");
    execute(leafs_table("DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"));
    EXPECT_EQ(made, server.ask("SHOW CREATE TABLE leaf_alloc", name, 1));
    EXPECT_THAT(server.ask("SHOW CREATE TABLE frond_key", name, 1), HasSubstr("utf8mb4_bin"));
    EXPECT_THAT(server.ask("SHOW CREATE TABLE frond_worker", name, 1), HasSubstr("utf8mb4_bin"));
}

// Leaf's own two statements and ours, on one row at the same time.
TEST_F(Mariadb, SharesARowWithALeafServer) {
    init_with_key("order", 3);
    constexpr int rounds = 60;
    const auto leaf = [&] {
        std::vector<std::int64_t> firsts;
        const auto other = open(options());
        for (int i = 0; i < rounds; ++i) {
            const auto end = other->transact(Audience::operators, [&](soci::session& session) -> Result<std::int64_t> {
                Query(session, "UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'order'").execute();
                const auto row =
                    Query(session, "SELECT biz_tag, max_id, step FROM leaf_alloc WHERE biz_tag = 'order'").row(3);
                return integer_of(row->at(1)).value();
            });
            EXPECT_TRUE(end) << end.error().detail;
            firsts.push_back(*end - 3);
        }
        return firsts;
    };
    auto first_leaf = std::async(std::launch::async, leaf);
    auto second_leaf = std::async(std::launch::async, leaf);
    std::vector<std::int64_t> firsts;
    for (int i = 0; i < rounds; ++i) {
        const auto grant = store.advance("order", {});
        ASSERT_TRUE(grant) << grant.error().detail;
        firsts.push_back(grant->range.first);
    }
    for (auto* job : {&first_leaf, &second_leaf}) {
        const auto theirs = job->get();
        firsts.insert(firsts.end(), theirs.begin(), theirs.end());
    }
    std::sort(firsts.begin(), firsts.end());
    for (int i = 0; i < 3 * rounds; ++i) ASSERT_EQ(firsts[i], 1 + 3 * i);
}

// An engine without transactions and row locks: still no number twice.
TEST_F(Mariadb, StaysUniqueInMyisam) {
    init_with_key("order", 3);
    execute("DROP TABLE frond_key");
    execute("ALTER TABLE leaf_alloc ENGINE=MyISAM");
    EXPECT_THAT(*store.durability_warnings(), testing::Contains(HasSubstr("MyISAM")));
    std::vector<std::future<std::vector<std::int64_t>>> work;
    for (int i = 0; i < 4; ++i) {
        work.push_back(std::async(std::launch::async, [&] {
            std::vector<std::int64_t> firsts;
            for (int round = 0; round < 100; ++round) {
                const auto grant = store.advance("order", {});
                if (grant) firsts.push_back(grant->range.first);
            }
            return firsts;
        }));
    }
    std::vector<std::int64_t> all;
    for (auto& job : work) {
        const auto firsts = job.get();
        all.insert(all.end(), firsts.begin(), firsts.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_FALSE(all.empty());
}

TEST_F(Mariadb, WarnsOfCommitsThatAreNotDurable) {
    init_with_key("order", 10);
    auto warnings = store.durability_warnings();
    ASSERT_TRUE(warnings) << warnings.error().detail;
    EXPECT_THAT(*warnings, testing::ElementsAre(HasSubstr("innodb_flush_log_at_trx_commit is 0")));
    server.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    EXPECT_THAT(*store.durability_warnings(), testing::IsEmpty());
    server.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0");
}

TEST_F(Mariadb, WarnsOfABinlogThatIsNotSynced) {
    MariadbServer with_binlog({"--log-bin=binlog", "--sync-binlog=0", "--innodb-flush-log-at-trx-commit=1"});
    DatabaseOptions its = options();
    its.url = with_binlog.url(with_binlog.new_database());
    SqlSegmentStore other(open(its));
    EXPECT_THAT(*other.durability_warnings(), testing::ElementsAre(HasSubstr("sync_binlog is 0")));
    with_binlog.execute("SET GLOBAL sync_binlog = 1");
    EXPECT_THAT(*other.durability_warnings(), testing::IsEmpty());
}

TEST_F(Mariadb, NeedsNoMorePermissionThanLeaf) {
    execute(leafs_table(""));
    execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('order', 1, 10)");
    execute("CREATE OR REPLACE USER leaf@'127.0.0.1' IDENTIFIED BY 'leaf'");
    execute(fmt::format("GRANT SELECT, UPDATE ON {}.leaf_alloc TO leaf@'127.0.0.1'", name));
    DatabaseOptions its = options();
    its.url = fmt::format("mysql://leaf:leaf@127.0.0.1:{}/{}", server.port(), name);
    const auto limited = open(its);
    SqlSegmentStore as_leaf(limited);
    EXPECT_TRUE(as_leaf.check());
    EXPECT_EQ(as_leaf.advance("order", {})->range, (Range{1, 11, 1, 0}));
    EXPECT_EQ(*as_leaf.keys(), std::vector<std::string>{"order"});
    EXPECT_THAT(*as_leaf.durability_warnings(), testing::Contains(HasSubstr("no permission to read frond_key")));
    const auto done = SqlKeyAdmin(limited).init();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::invalid_configuration);
}

TEST_F(Mariadb, SetsItsSessionsUp) {
    init_with_key("order", 10);
    const auto setting = [&](const char* variable) {
        return *database->read(Audience::operators, [&](soci::session& session) -> Result<std::string> {
            return Query(session, fmt::format("SELECT @@SESSION.{}", variable)).row(1)->front().value_or("");
        });
    };
    EXPECT_EQ(setting("character_set_client"), "utf8mb4");
    EXPECT_EQ(setting("character_set_connection"), "utf8mb4");
    EXPECT_EQ(setting("character_set_results"), "utf8mb4");
    EXPECT_EQ(setting("autocommit"), "1");
    EXPECT_EQ(setting("innodb_lock_wait_timeout"), "1");
    EXPECT_EQ(setting("lock_wait_timeout"), "1");
    EXPECT_EQ(setting("idle_transaction_timeout"), "2");
    EXPECT_THAT(setting("sql_mode"), HasSubstr("STRICT_ALL_TABLES"));
}

TEST_F(Mariadb, ThePasswordMayComeFromElsewhere) {
    init_with_key("order", 10);
    DatabaseOptions its = options();
    its.url = fmt::format("mysql://frond:wrong@127.0.0.1:{}/{}", server.port(), name);
    its.password = MariadbServer::password;
    EXPECT_TRUE(open(its)->check());
}

TEST_F(Mariadb, ConnectsThroughASocket) {
    init_with_key("order", 10);
    DatabaseOptions its = options();
    its.url = fmt::format("mysql://frond@localhost/{}?socket={}", name, server.socket());
    its.password = MariadbServer::password;
    SqlSegmentStore local(open(its));
    EXPECT_EQ(local.advance("order", {})->range.first, 1);
    EXPECT_EQ(local.identity(), fmt::format("mysql://localhost/{}?socket={}", name, server.socket()));
}

TEST_F(Mariadb, SaysAtStartWhatIsWrong) {
    const auto complaint = [&](const std::string& url, errc code) {
        DatabaseOptions its = options();
        its.url = url;
        const auto checked = open(its)->check();
        EXPECT_FALSE(checked);
        EXPECT_EQ(checked.error().code, code) << checked.error().detail;
        EXPECT_THAT(checked.error().detail, Not(HasSubstr("secret")));
        EXPECT_EQ(SqlSegmentStore(open(its)).advance("order", {}).error().code, errc::store_unavailable);
        return checked.error().detail;
    };
    EXPECT_THAT(complaint(fmt::format("mysql://frond:secret@127.0.0.1:{}/{}", server.port(), name),
                          errc::invalid_configuration),
                HasSubstr("Access denied"));
    EXPECT_THAT(complaint(fmt::format("mysql://root@127.0.0.1:{}/nowhere", server.port()), errc::invalid_configuration),
                HasSubstr("database main"));
    EXPECT_THAT(complaint("mysql://frond:secret@127.0.0.1:1/ids", errc::store_unavailable),
                HasSubstr("127.0.0.1:1/ids"));
}

TEST_F(Mariadb, ReopensSessionsThatTheServerClosed) {
    init_with_key("order", 10);
    ASSERT_TRUE(store.advance("order", {}));
    server.execute("KILL USER frond@'127.0.0.1'");
    const auto grant = store.advance("order", {});
    ASSERT_TRUE(grant) << "the caller sees nothing of it";
    EXPECT_EQ(grant->range.first, 11);
}

TEST_F(Mariadb, ComesBackAfterACrash) {
    MariadbServer own;
    DatabaseOptions its = options();
    its.url = own.url(own.new_database());
    const auto crashing = open(its);
    SqlSegmentStore crashed(crashing);
    SqlKeyAdmin its_admin(crashing);
    ASSERT_TRUE(its_admin.init());
    ASSERT_TRUE(its_admin.create({.key = "order", .step = 10}));
    own.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    ASSERT_TRUE(crashed.advance("order", {}));
    own.kill();
    EXPECT_EQ(failure(crashed, "order"), errc::store_unavailable);
    EXPECT_EQ(failure(crashed, "order"), errc::store_unavailable);
    EXPECT_EQ(crashed.keys().error().code, errc::store_unavailable);
    own.start();
    const auto grant = crashed.advance("order", {});
    ASSERT_TRUE(grant) << grant.error().detail;
    EXPECT_EQ(grant->range.first, 11);
}

TEST_F(Mariadb, AFrozenServerDoesNotHoldItsCallers) {
    init_with_key("order", 10);
    ASSERT_TRUE(store.advance("order", {}));
    server.pause();
    // More callers than sessions: some of those are open, the others have to connect.
    std::vector<std::future<errc>> work;
    for (int i = 0; i < 6; ++i) {
        work.push_back(std::async(std::launch::async, [&] { return failure(store, "order"); }));
    }
    for (auto& job : work) {
        const bool ended = job.wait_for(seconds(30)) == std::future_status::ready;
        if (!ended) server.resume();
        ASSERT_TRUE(ended);
        EXPECT_EQ(job.get(), errc::store_unavailable);
    }
    server.resume();
    const auto grant = store.advance("order", {});
    EXPECT_TRUE(grant) << grant.error().detail;
}

TEST_F(Mariadb, WaitsALittleForALockedRow) {
    init_with_key("order", 10);
    const auto other = open(options());
    std::promise<void> locked;
    std::promise<void> release;
    auto holder = std::async(std::launch::async, [&] {
        return other->transact(Audience::operators, [&](soci::session& session) -> Result<bool> {
            Query(session, "UPDATE leaf_alloc SET step = 20 WHERE biz_tag = 'order'").execute();
            locked.set_value();
            release.get_future().wait();
            return true;
        });
    });
    locked.get_future().wait();
    EXPECT_EQ(failure(store, "order"), errc::store_unavailable);
    auto waiting = std::async(std::launch::async, [&] { return store.advance("order", {}); });
    release.set_value();
    EXPECT_TRUE(holder.get());
    const auto grant = waiting.get();
    ASSERT_TRUE(grant) << grant.error().detail;
    EXPECT_EQ(grant->range, (Range{1, 21, 1, 0}));
}

// Two transactions lock two rows in opposite order, again and again: the server ends one of them, we try again.
TEST_F(Mariadb, TriesAgainAfterADeadlock) {
    init_with_key("a", 10);
    ASSERT_TRUE(admin.create({.key = "b", .step = 10}));
    const auto swap = [&](const char* first, const char* second, std::promise<void>& mine,
                          std::shared_future<void> theirs) {
        bool met = false;
        return database->transact(Audience::operators, [&](soci::session& session) -> Result<bool> {
            const char* touch = "UPDATE leaf_alloc SET max_id = max_id + 1 WHERE biz_tag = :key";
            Query(session, touch).bind("key", std::string_view(first)).execute();
            if (!std::exchange(met, true)) {
                mine.set_value();
                theirs.wait();
            }
            Query(session, touch).bind("key", std::string_view(second)).execute();
            return true;
        });
    };
    std::promise<void> one;
    std::promise<void> two;
    auto job = std::async(std::launch::async, [&] { return swap("a", "b", one, two.get_future().share()); });
    EXPECT_TRUE(swap("b", "a", two, one.get_future().share()));
    EXPECT_TRUE(job.get());
    EXPECT_EQ(max_id("a"), "3");
    EXPECT_EQ(max_id("b"), "3");
}

class LostCommit : public Mariadb {
protected:
    LostCommit() {
        DatabaseOptions its = options();
        its.url = fmt::format("mysql://frond@127.0.0.1:{}/{}", proxy.port(), name);
        its.password = MariadbServer::password;
        far = std::make_unique<SqlSegmentStore>(open(its));
    }

    LossyProxy proxy{server.port()};
    std::unique_ptr<SqlSegmentStore> far;
};

TEST_F(LostCommit, ARangeWhoseCommitWasDoneIsAGap) {
    init_with_key("order", 10);
    ASSERT_EQ(far->advance("order", {})->range.first, 1);
    proxy.set(LossyProxy::Fault::lose_reply, "COMMIT");
    EXPECT_EQ(failure(*far, "order"), errc::store_unavailable);
    EXPECT_EQ(max_id("order"), "21") << "done, and not tried again";
    proxy.set(LossyProxy::Fault::none);
    EXPECT_EQ(far->advance("order", {})->range.first, 21);
}

TEST_F(LostCommit, ACommitThatNeverArrivedChangesNothing) {
    init_with_key("order", 10);
    ASSERT_EQ(far->advance("order", {})->range.first, 1);
    proxy.set(LossyProxy::Fault::lose_request, "COMMIT");
    EXPECT_EQ(failure(*far, "order"), errc::store_unavailable);
    proxy.set(LossyProxy::Fault::none);
    EXPECT_EQ(far->advance("order", {})->range.first, 11);
}

TEST(MariadbTls, IsVerified) {
    const Certificates good("IP:127.0.0.1,DNS:localhost");
    const Certificates other("IP:127.0.0.1");
    MariadbServer server({"--ssl-cert=" + good.certificate(), "--ssl-key=" + good.key()});
    DatabaseOptions options;
    options.url = server.url(server.new_database());
    options.tls_ca = good.ca();
    const auto encrypted = *Database::make(options);
    const auto checked = encrypted->check();
    ASSERT_TRUE(checked) << checked.error().detail;
    EXPECT_THAT(*encrypted->read(Audience::operators,
                                 [](soci::session& session) -> Result<std::string> {
                                     return Query(session, "SHOW STATUS LIKE 'Ssl_cipher'").row(2)->at(1).value_or("");
                                 }),
                HasSubstr("TLS"));

    for (const std::string& ca : {other.ca(), std::string("/nonexistent/ca.pem"), std::string("/dev/null")}) {
        options.tls_ca = ca;
        const auto refused = (*Database::make(options))->check();
        ASSERT_FALSE(refused) << ca;
        EXPECT_EQ(refused.error().code, errc::invalid_configuration) << refused.error().detail;
    }
}

TEST(MariadbTls, WantsTheServersName) {
    const Certificates elsewhere("DNS:db.example.org");
    MariadbServer server({"--ssl-cert=" + elsewhere.certificate(), "--ssl-key=" + elsewhere.key()});
    DatabaseOptions options;
    options.url = server.url(server.new_database());
    options.tls_ca = elsewhere.ca();
    const auto refused = (*Database::make(options))->check();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::invalid_configuration) << refused.error().detail;
}

TEST(MariadbTls, IsRefusedWhereTheServerDoesNotSpeakIt) {
    const Certificates certificates("IP:127.0.0.1");
    DatabaseOptions options;
    options.url = MariadbServer::shared().url(MariadbServer::shared().new_database());
    options.tls_ca = certificates.ca();
    const auto refused = (*Database::make(options))->check();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::invalid_configuration) << refused.error().detail;
}

}  // namespace
}  // namespace frond::sql
