// Leases in the database, beyond the contract of all registries (tests/contract): tables as people leave them, locks.
#include "sql/worker_registry.hpp"

#include "backend.hpp"
#include "sql/key_admin.hpp"
#include "sql/query.hpp"
#include "sql/worker_admin.hpp"
#include "worker/random_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace frond::sql {
namespace {

using testing::HasSubstr;
using testing::Not;
using worker::Created;
using worker::Found;
using worker::LeaseRecord;
using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;
using worker::Written;

template <class T>
RegistryError error_of(const RegistryResult<T>& result) {
    const auto* error = std::get_if<RegistryError>(&result);
    EXPECT_NE(error, nullptr);
    return error != nullptr ? *error : RegistryError{};
}

template <class T>
T value_of(RegistryResult<T> result) {
    if (const auto* error = std::get_if<RegistryError>(&result)) throw std::runtime_error(error->detail);
    return std::get<T>(std::move(result));
}

class WorkerTableTest : public testing::TestWithParam<std::string> {
protected:
    WorkerTableTest() { EXPECT_TRUE(SqlKeyAdmin(backend->open()).init()); }

    [[nodiscard]] std::unique_ptr<SqlWorkerRegistry> registry(const std::string& name = "frond") const {
        DatabaseOptions options = backend->options();
        options.query_timeout = std::chrono::seconds(1);
        return std::make_unique<SqlWorkerRegistry>(
            *Database::make(options), WorkerRegistryOptions{name, space, worker::random_id, lag_patience_});
    }
    [[nodiscard]] LeaseRecord record() const {
        LeaseRecord record;
        record.owner = worker::random_id();
        record.write = worker::random_id();
        record.space = space;
        return record;
    }

    const worker::LeaseSpace space = *worker::make_space(SnowflakeLayout(), 100, 50);
    const std::unique_ptr<Backend> backend = make_backend(GetParam());
    std::chrono::milliseconds lag_patience_{0};
};

INSTANTIATE_TEST_SUITE_P(Databases, WorkerTableTest, testing::Values("sqlite", "mariadb"),
                         [](const auto& backend) { return backend.param; });

// Another node of a cluster may be behind: that is no reason to stop everything until an operator comes.
TEST_P(WorkerTableTest, AnOlderStateIsLostWritesOnlyWhenItLasts) {
    lag_patience_ = std::chrono::hours(1);
    const auto own = registry();
    value_of(own->survey());
    const auto created = value_of(own->create(record()));
    const auto written = value_of(own->write(created.number, created.version, record()));
    const std::string before = backend->ask("SELECT record FROM frond_worker WHERE worker_id = 100");
    backend->execute("UPDATE frond_worker SET version = 1 WHERE worker_id = 100");
    EXPECT_EQ(error_of(own->survey()).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(own->read(created.number)).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(own->write(created.number, written.version, record())).fault, RegistryFault::unavailable);
    backend->execute("UPDATE frond_worker SET version = 2 WHERE worker_id = 100");
    EXPECT_TRUE(std::holds_alternative<Survey>(own->survey())) << "the node has caught up";
    EXPECT_EQ(backend->ask("SELECT record FROM frond_worker WHERE worker_id = 100"), before) << "nothing was written";
}

TEST_P(WorkerTableTest, ImpossibleNumbersMakeNoRecord) {
    const auto own = registry();
    value_of(own->survey());
    value_of(own->create(record()));
    for (const char* modified : {"9223372036854775807", "-9223372036854775808"}) {
        backend->execute(std::string("UPDATE frond_worker SET modified = ") + modified + " WHERE worker_id = 100");
        const auto survey = value_of(registry()->survey());
        ASSERT_EQ(survey.records.size(), 1U);
        EXPECT_FALSE(survey.records[0].record);
        EXPECT_NE(survey.records[0].problem, "");
        EXPECT_EQ(survey.records[0].modified_ms, 0);
    }
    backend->execute("UPDATE frond_worker SET worker_id = -9223372036854775808 WHERE worker_id = 100");
    EXPECT_EQ(error_of(registry()->survey()).fault, RegistryFault::contradiction);
}

TEST_P(WorkerTableTest, ShowsOperatorsWorkerIds) {
    const auto own = registry();
    value_of(own->survey());
    EXPECT_EQ(value_of(own->create(record())).number, 0);
    EXPECT_EQ(value_of(own->create(record())).number, 1);
    EXPECT_EQ(backend->ask("SELECT MAX(worker_id) FROM frond_worker WHERE name = 'frond'"), "101");
    EXPECT_EQ(backend->ask("SELECT version FROM frond_worker WHERE worker_id = -1"), "2");
}

TEST_P(WorkerTableTest, AMissingTableNamesInit) {
    backend->execute("DROP TABLE frond_worker");
    const auto own = registry();
    for (const RegistryError& error :
         {error_of(own->survey()), error_of(own->create(record())), error_of(own->write(0, 1, record())),
          error_of(own->read(0)), error_of(own->find(record())),
          error_of(SqlWorkerAdmin(backend->open(), "frond").look()),
          error_of(SqlWorkerAdmin(backend->open(), "frond").raise_floor(1))}) {
        EXPECT_EQ(error.fault, RegistryFault::unavailable);
        EXPECT_THAT(error.detail, HasSubstr("frond init"));
        EXPECT_THAT(error.detail, Not(HasSubstr("127.0.0.1")));
        EXPECT_THAT(error.detail, Not(HasSubstr("/tmp")));
    }
    ASSERT_TRUE(SqlKeyAdmin(backend->open()).init());
    value_of(own->survey());
}

TEST_P(WorkerTableTest, ARowOfTheNameThatCannotBeReadIsForTheOperator) {
    const auto own = registry();
    value_of(own->survey());
    for (const char* text : {"nonsense", "{}", ""}) {
        backend->execute(std::string("UPDATE frond_worker SET record = '") + text + "' WHERE worker_id = -1");
        EXPECT_EQ(error_of(own->survey()).fault, RegistryFault::contradiction);
        EXPECT_EQ(error_of(own->create(record())).fault, RegistryFault::contradiction);
        EXPECT_EQ(error_of(SqlWorkerAdmin(backend->open(), "frond").raise_floor(1)).fault,
                  RegistryFault::contradiction);
    }
}

TEST_P(WorkerTableTest, ACounterThatWasLoweredGivesNothing) {
    const auto own = registry();
    value_of(own->survey());
    value_of(own->create(record()));
    value_of(own->create(record()));
    backend->execute("UPDATE frond_worker SET version = 1 WHERE worker_id = -1");
    EXPECT_EQ(error_of(own->create(record())).fault, RegistryFault::went_backwards);
    EXPECT_EQ(error_of(own->survey()).fault, RegistryFault::went_backwards);
    // Who did not see the higher number finds a row where none should be.
    const auto other = registry();
    value_of(other->survey());
    EXPECT_EQ(error_of(other->create(record())).fault, RegistryFault::contradiction);
}

TEST_P(WorkerTableTest, ANameThatWasDeletedIsNotMadeAgainByThoseWhoKnewIt) {
    const auto own = registry();
    value_of(own->survey());
    backend->execute("DELETE FROM frond_worker");
    EXPECT_EQ(error_of(own->survey()).fault, RegistryFault::went_backwards);
    EXPECT_EQ(error_of(own->create(record())).fault, RegistryFault::went_backwards);
    EXPECT_EQ(backend->ask("SELECT COUNT(*) FROM frond_worker"), "0");
    value_of(registry()->survey());
    EXPECT_EQ(error_of(own->survey()).fault, RegistryFault::went_backwards) << "it is another name";
}

// Restored, and written since: the version is the known one, the content is not.
TEST_P(WorkerTableTest, AnotherHistoryWithTheSameVersionIsNoticed) {
    const auto own = registry();
    value_of(own->survey());
    const auto created = value_of(own->create(record()));
    const auto written = value_of(own->write(created.number, created.version, record()));
    backend->execute("UPDATE frond_worker SET record = '" + worker::format_record(record()) +
                     "' WHERE worker_id = 100");
    EXPECT_EQ(error_of(own->write(created.number, written.version, record())).fault, RegistryFault::went_backwards);
    EXPECT_EQ(error_of(own->read(created.number)).fault, RegistryFault::went_backwards);
}

TEST_P(WorkerTableTest, AnInstanceOfAnotherSpaceGetsNoNumber) {
    value_of(registry()->survey());
    SqlWorkerRegistry other(backend->open(),
                            {"frond", *worker::make_space(SnowflakeLayout(), 0, 50), worker::random_id});
    EXPECT_EQ(value_of(other.survey()).name.space, space);
    EXPECT_EQ(error_of(other.create(record())).fault, RegistryFault::contradiction);
}

TEST_P(WorkerTableTest, NamesThatEndInSpacesAreNotMixedUp) {
    const auto own = registry("frond");
    const Survey first = value_of(own->survey());
    const auto spaced = registry("frond ");
    const auto survey = spaced->survey();
    if (const auto* error = std::get_if<RegistryError>(&survey)) {
        EXPECT_EQ(error->fault, RegistryFault::contradiction) << "MySQL takes the two for one key";
        EXPECT_THAT(error->detail, HasSubstr("another spelling"));
    } else {
        EXPECT_NE(std::get<Survey>(survey).name.id, first.name.id);
    }
    EXPECT_EQ(value_of(own->survey()).name, first.name);
}

// What a transaction of somebody else holds: waited for a little, then nothing was done for certain.
TEST_P(WorkerTableTest, ALockedRowIsUnavailableAndFindWaitsForIt) {
    const auto own = registry();
    value_of(own->survey());
    const auto created = value_of(own->create(record()));
    const LeaseRecord late = record();
    std::promise<void> locked;
    std::promise<void> release;
    auto other = std::async(std::launch::async, [&, database = backend->open()] {
        return database->transact(Audience::operators, [&](soci::session& session) -> Result<bool> {
            WorkerTable table(session, database->dialect(), "frond");
            static_cast<void>(table.replace(name_row, 1, 2, table.row(name_row, Lock::yes)->record, 1));
            static_cast<void>(table.replace(100, created.version, 7, worker::format_record(late), 1));
            table.insert(101, 1, worker::format_record(late), late.owner, 1);
            locked.set_value();
            release.get_future().wait();
            return true;
        });
    });
    locked.get_future().wait();
    EXPECT_EQ(error_of(own->write(created.number, created.version, record())).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(own->create(record())).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(own->find(late)).fault, RegistryFault::unavailable) << "not: it is not there";
    EXPECT_EQ(value_of(own->read(created.number))->version, created.version) << "reads wait for nobody";
    release.set_value();
    ASSERT_TRUE(other.get());
    EXPECT_EQ(value_of(own->find(late))->number, 1);
    EXPECT_EQ(error_of(own->write(created.number, created.version, record())).fault, RegistryFault::conflict);
    EXPECT_EQ(value_of(own->create(record())).number, 2);
}

TEST_P(WorkerTableTest, TheClockDoesNotDependOnTimeZones) {
    if (GetParam() == "sqlite") GTEST_SKIP() << "SQLite has no clock of its own";
    const auto database = backend->open();
    for (const char* zone : {"+00:00", "+13:00", "-12:00"}) {
        const auto offset = database->read(Audience::operators, [&](soci::session& session) -> Result<std::int64_t> {
            Query(session, "SET SESSION time_zone = :zone").bind("zone", std::string_view(zone)).execute();
            const auto clock = WorkerTable(session, database->dialect(), "frond").clock();
            const SystemClock local;
            return clock->at(local.steady()) - unix_ms(local.wall());
        });
        ASSERT_TRUE(offset) << offset.error().detail;
        EXPECT_NEAR(static_cast<double>(*offset), 0, 5'000) << zone;
    }
}

}  // namespace
}  // namespace frond::sql
