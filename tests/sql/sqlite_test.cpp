// What only SQLite does: files, settings that must take, values of any type in any column.
#include "sql/key_admin.hpp"
#include "sql/query.hpp"
#include "sql/segment_store.hpp"
#include "support/temp_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

namespace frond::sql {
namespace {

using std::chrono::seconds;
using test::TempFolder;
using testing::HasSubstr;

class Sqlite : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path file() const { return folder.path() / "frond.db"; }
    std::shared_ptr<Database> open(const std::filesystem::path& path, seconds query_timeout = seconds(5)) {
        DatabaseOptions options;
        options.url = "sqlite:" + path.string();
        options.query_timeout = query_timeout;
        auto database = Database::make(options);
        EXPECT_TRUE(database) << database.error().detail;
        return *database;
    }
    void init_with_key(const std::shared_ptr<Database>& database, const std::string& key) {
        SqlKeyAdmin admin(database);
        const auto done = admin.init();
        ASSERT_TRUE(done) << done.error().detail;
        ASSERT_TRUE(admin.create({.key = key, .step = 10}));
    }
    static void execute(const std::shared_ptr<Database>& database, const std::string& sql) {
        const auto done = database->read(Audience::operators, [&](soci::session& session) -> Result<void> {
            Query(session, sql).execute();
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    static std::string ask(const std::shared_ptr<Database>& database, const std::string& sql) {
        return *database->read(Audience::operators, [&](soci::session& session) -> Result<std::string> {
            return Query(session, sql).row(1)->front().value_or("NULL");
        });
    }

    TempFolder folder;
};

TEST_F(Sqlite, AMissingFileIsAnErrorThatNamesInit) {
    const auto database = open(file());
    SqlSegmentStore store(database);
    const auto checked = store.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, errc::invalid_configuration);
    EXPECT_THAT(checked.error().detail, HasSubstr("frond init"));
    EXPECT_THAT(checked.error().detail, HasSubstr(file().string()));
    const auto grant = store.advance("order", {});
    EXPECT_EQ(grant.error().code, errc::store_unavailable);
    EXPECT_THAT(grant.error().detail, testing::Not(HasSubstr(file().string()))) << "a client may read it";
    EXPECT_EQ(SqlKeyAdmin(database).create({.key = "order"}).error().code, errc::invalid_configuration);
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Sqlite, InitCreatesTheFile) {
    const auto database = open(file());
    SqlKeyAdmin admin(database);
    const auto done = admin.init();
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_THAT(done->front(), HasSubstr("created the SQLite file"));
    EXPECT_TRUE(SqlSegmentStore(database).check());
}

TEST_F(Sqlite, InitSaysWhyItCannot) {
    const auto done = SqlKeyAdmin(open(folder.path() / "no" / "such" / "folder" / "frond.db")).init();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::invalid_configuration);
    EXPECT_THAT(done.error().detail, HasSubstr("folder/frond.db"));
}

TEST_F(Sqlite, AnEmptyFileLacksTheTables) {
    std::ofstream(file()).close();
    const auto checked = SqlSegmentStore(open(file())).check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, errc::invalid_configuration);
    EXPECT_THAT(checked.error().detail, HasSubstr("frond init"));
}

TEST_F(Sqlite, AFileOfAnotherKindIsRefused) {
    std::ofstream(file()) << "this is a text file, and long enough to be taken for a database at first sight";
    const auto checked = SqlSegmentStore(open(file())).check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, errc::invalid_configuration) << checked.error().detail;
}

TEST_F(Sqlite, EverySessionIsDurable) {
    const auto database = open(file());
    init_with_key(database, "order");
    EXPECT_EQ(ask(database, "PRAGMA journal_mode"), "wal");
    EXPECT_EQ(ask(database, "PRAGMA synchronous"), "2");
    EXPECT_TRUE(SqlSegmentStore(database).durability_warnings()->empty());
    // Another program may have switched WAL off: the next session switches it on.
    execute(database, "PRAGMA journal_mode = DELETE");
    EXPECT_EQ(ask(open(file()), "PRAGMA journal_mode"), "wal");
}

TEST_F(Sqlite, SettingsThatDoNotTakeAreAnError) {
    init_with_key(open(file()), "order");
    // A reader that holds its lock keeps WAL from taking.
    const auto other = open(file());
    execute(other, "PRAGMA journal_mode = DELETE");
    const auto checked = other->read(Audience::operators, [&](soci::session& session) -> Result<bool> {
        Query(session, "BEGIN").execute();
        static_cast<void>(Query(session, "SELECT biz_tag FROM leaf_alloc").row(1));
        const auto blocked = open(file(), seconds(1))->check();
        Query(session, "COMMIT").execute();
        return !blocked;
    });
    ASSERT_TRUE(checked);
    EXPECT_TRUE(*checked) << "an unsafe session must not open";
    EXPECT_TRUE(open(file())->check());
}

TEST_F(Sqlite, PathsMayHoldAlmostAnything) {
    for (const char* name :
         {"with space.db", "quo'te.db", "per%25cent.db", "ümlaut🚀.db", "a%3Fb.db", "semi;colon,x.db"}) {
        const auto path = folder.path() / name;
        const auto database = open(path);
        init_with_key(database, "order");
        EXPECT_EQ(SqlSegmentStore(database).advance("order", {})->range.first, 1) << name;
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "per%cent.db"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "with space.db"));
}

TEST_F(Sqlite, OnlyIntegersPassForIntegers) {
    const auto database = open(file());
    init_with_key(database, "order");
    SqlSegmentStore store(database);
    const auto refused = [&](const char* change, const char* what) {
        execute(database, fmt::format("UPDATE leaf_alloc SET {}", change));
        const auto grant = store.advance("order", {});
        ASSERT_FALSE(grant) << change;
        EXPECT_EQ(grant.error().code, errc::key_misconfigured) << change;
        EXPECT_THAT(grant.error().detail, HasSubstr("'order'"));
        EXPECT_THAT(grant.error().detail, HasSubstr(what));
        EXPECT_EQ(SqlKeyAdmin(database).raise_all(1).has_value(), change[0] == 's') << change;
        execute(database, "UPDATE leaf_alloc SET max_id = 1, step = 10");
    };
    refused("max_id = 9223372036854775807 + 1", "real 9.22337203685478e+18");
    refused("max_id = 1.5", "real 1.5");
    refused("max_id = 'abc'", "text abc");
    refused("max_id = '12abc'", "text 12abc");
    refused("max_id = x'31'", "blob 1");
    refused("step = 2.5", "real 2.5");
    refused("step = 'ten'", "text ten");
    EXPECT_EQ(store.advance("order", {})->range.first, 1);
}

TEST_F(Sqlite, CollationsOfAnExistingTableDoNotMatter) {
    const auto database = open(file());
    ASSERT_TRUE(SqlKeyAdmin(database).init());
    execute(database, "DROP TABLE leaf_alloc");
    execute(
        database,
        "CREATE TABLE leaf_alloc (biz_tag varchar(128) NOT NULL COLLATE NOCASE PRIMARY KEY, max_id bigint NOT NULL, "
        "step int NOT NULL, description text, update_time text)");
    execute(database, "INSERT INTO leaf_alloc VALUES ('order', 1, 10, NULL, NULL)");
    execute(database, "INSERT INTO frond_key (key_name, disabled) VALUES ('ORDER', 1)");
    SqlSegmentStore store(database);
    EXPECT_EQ(store.advance("ORDER", {}).error().code, errc::key_not_found);
    EXPECT_EQ(store.advance("order", {})->range.first, 1);
}

TEST_F(Sqlite, WaitsForAnotherWriterOnlySoLong) {
    init_with_key(open(file()), "order");
    const auto writer = open(file());
    SqlSegmentStore store(open(file(), seconds(1)));
    std::promise<void> locked;
    std::promise<void> release;
    auto holder = std::async(std::launch::async, [&] {
        return writer->transact(Audience::operators, [&](soci::session&) -> Result<bool> {
            locked.set_value();
            release.get_future().wait();
            return true;
        });
    });
    locked.get_future().wait();
    EXPECT_EQ(store.advance("order", {}).error().code, errc::store_unavailable);
    release.set_value();
    EXPECT_TRUE(holder.get());
    EXPECT_EQ(store.advance("order", {})->range.first, 1);
}

// As a file without write permission, which root would not notice.
// An open file lives on without its name; numbers from it would be given out again by whoever opens the new one.
TEST_F(Sqlite, ADeletedFileIsNoticed) {
    const auto database = open(file());
    init_with_key(database, "k");
    SqlSegmentStore store(database);
    ASSERT_TRUE(store.advance("k", {}));
    std::filesystem::remove(file());
    const auto gone = store.advance("k", {});
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, errc::store_unavailable);
}

TEST_F(Sqlite, AReplacedFileIsTheOneThatCounts) {
    const auto database = open(file());
    init_with_key(database, "k");
    SqlSegmentStore store(database);
    ASSERT_TRUE(store.advance("k", {}));
    const auto other = folder.path() / "other.db";
    init_with_key(open(other), "k");
    for (const char* rest : {"-wal", "-shm"}) std::filesystem::remove(file().string() + rest);
    std::filesystem::rename(other, file());
    const auto range = store.advance("k", {});
    ASSERT_TRUE(range) << range.error().detail;
    EXPECT_EQ(ask(database, "SELECT max_id FROM leaf_alloc"), "11") << "not the file that was open";
}

TEST_F(Sqlite, AReadOnlyDatabaseIsNotUsableAsConfigured) {
    const auto database = open(file());
    init_with_key(database, "order");
    CallTrouble trouble;
    const auto done = database->read(
        Audience::operators,
        [&](soci::session& session) -> Result<void> {
            Query(session, "PRAGMA query_only = ON").execute();
            Query(session, "UPDATE leaf_alloc SET max_id = 500").execute();
            return {};
        },
        &trouble);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::invalid_configuration) << done.error().detail;
    EXPECT_EQ(trouble.fault, Fault::refused);
    EXPECT_FALSE(trouble.maybe_done);
    EXPECT_TRUE(SqlSegmentStore(database).advance("order", {})) << "the session was not used again";
}

TEST_F(Sqlite, AnErrorInTheBodyRollsBack) {
    const auto database = open(file());
    init_with_key(database, "order");
    const auto done = database->transact(Audience::operators, [&](soci::session& session) -> Result<bool> {
        Query(session, "UPDATE leaf_alloc SET max_id = 500").execute();
        return Error(errc::bad_request, "no");
    });
    EXPECT_EQ(done.error().code, errc::bad_request);
    const auto thrown = database->transact(Audience::operators, [&](soci::session& session) -> Result<bool> {
        Query(session, "UPDATE leaf_alloc SET max_id = 500").execute();
        throw std::runtime_error("defect");
    });
    EXPECT_EQ(thrown.error().code, errc::internal);
    EXPECT_EQ(SqlSegmentStore(database).advance("order", {})->range.first, 1);
}

}  // namespace
}  // namespace frond::sql
