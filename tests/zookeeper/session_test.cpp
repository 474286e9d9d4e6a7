// Sessions that end, and servers that do not answer. Each test has a server of its own.
#include "registry_fixture.hpp"
#include "worker/log_capture.hpp"

#include <gmock/gmock.h>

#include <future>

namespace frond::zookeeper {
namespace {

using worker::RegistryError;
using worker::RegistryFault;

class SessionTest : public RegistryTest {
protected:
    SessionTest() : RegistryTest(own_server()) {}

    static test::ZooKeeperServer& own_server() {
        static test::ZooKeeperServer server;
        return server;
    }
    void SetUp() override {
        if (!server_.running()) server_.start();
    }

    // Sessions that end soon.
    [[nodiscard]] RegistryOptions short_lived() const {
        auto options = this->options();
        options.session_timeout = 2s;
        options.connect_patience = 500ms;
        return options;
    }

    template <class Call>
    void wait_until_it_works(Call call) {
        wait_for("a call that works", [&] { return !std::holds_alternative<RegistryError>(call()); });
    }
};

TEST_F(SessionTest, GoesOnAfterItExpired) {
    const auto registry = this->registry(options(), "me");
    value_of(registry->survey());
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    for (int i = 0; i < 3; ++i) {
        expire_sessions();
        wait_until_it_works([&] { return registry->survey(); });
        EXPECT_THAT(who_is_present(), testing::ElementsAre("me"));
    }
    EXPECT_EQ(value_of(registry->write(created.number, created.version, record)).version, 1);
}

// An owner writes its record and asks for nothing else.
TEST_F(SessionTest, HeartbeatsShowPresenceAgainAfterItExpired) {
    const auto registry = this->registry(options(), "me");
    value_of(registry->survey());
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    std::int64_t version = created.version;
    for (int i = 0; i < 3; ++i) {
        expire_sessions();
        EXPECT_THAT(children(live()), testing::IsEmpty());
        wait_for("a heartbeat", [&] {
            const auto written = registry->write(created.number, version, record);
            if (const auto* done = std::get_if<worker::Written>(&written)) version = done->version;
            return std::holds_alternative<worker::Written>(written);
        });
        EXPECT_EQ(children(live()).size(), 1u);
    }
}

TEST_F(SessionTest, GoesOnAfterTheServerStartedAgain) {
    const auto registry = this->registry(options(), "me");
    value_of(registry->survey());
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    server_.kill();
    server_.start();
    wait_until_it_works([&] { return registry->read(created.number); });
    EXPECT_EQ(value_of(registry->write(created.number, created.version, record)).version, 1);
    value_of(registry->survey());
    EXPECT_THAT(who_is_present(), testing::ElementsAre("me"));
}

TEST_F(SessionTest, IsUnavailableWhileTheServerIsDown) {
    const auto registry = this->registry(short_lived());
    wait_until_it_works([&] { return registry->survey(); });
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    server_.kill();
    wait_for("the client notices", [&] {
        const auto result = registry->write(created.number, created.version, record);
        return error_of(result).fault == RegistryFault::unavailable;
    });
    EXPECT_EQ(error_of(registry->survey()).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(registry->read(created.number)).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(registry->find(record)).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(registry->create(new_record(space_))).fault, RegistryFault::unavailable);
    server_.start();
    wait_until_it_works([&] { return registry->survey(); });
    EXPECT_EQ(value_of(registry->read(created.number))->version, 0);
}

TEST_F(SessionTest, WaitsForAServerThatComesLater) {
    server_.kill();
    auto patient = options();
    patient.connect_patience = 60s;
    const auto registry = this->registry(patient);
    auto survey = std::async(std::launch::async, [&] { return registry->survey(); });
    server_.start();
    EXPECT_EQ(value_of(survey.get()).next_number, 1);
}

// The server stands still while the request is on its way. When it goes on it may do what was asked, or find that the
// session is over; what is read is one or the other.
TEST_F(SessionTest, AServerThatStandsStillLeavesAWriteUnknown) {
    const auto registry = this->registry(short_lived());
    wait_until_it_works([&] { return registry->survey(); });
    const auto created_record = new_record(space_);
    const auto created = value_of(registry->create(created_record));
    const auto record = new_record(space_);
    server_.pause();
    EXPECT_EQ(error_of(registry->write(created.number, created.version, record)).fault, RegistryFault::unknown);
    server_.resume();
    wait_until_it_works([&] { return registry->read(created.number); });
    const auto found = value_of(registry->read(created.number));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record, found->version == 0 ? created_record : record);
    EXPECT_LE(found->version, 1);
}

TEST_F(SessionTest, RefusesWhatItCannotResolve) {
    auto options = short_lived();
    options.connect = "no-such-host.invalid:2181";
    const test::LogCapture log;
    const auto registry = this->registry(options);
    const auto error = error_of(registry->survey());
    EXPECT_EQ(error.fault, RegistryFault::unavailable);
    EXPECT_TRUE(says(error, "no host name resolves")) << error.detail;
    EXPECT_FALSE(says(error, "no-such-host")) << "HTTP clients read it: " << error.detail;
    EXPECT_EQ(log.count("no-such-host.invalid:2181"), 1) << log.text();
}

TEST_F(SessionTest, TheLogNamesTheServersOnceForEachChange) {
    const test::LogCapture log;
    const auto registry = this->registry(short_lived());
    wait_until_it_works([&] { return registry->survey(); });
    const int at_first = log.count(server_.address());
    server_.kill();
    wait_for("the client notices", [&] {
        const auto result = registry->survey();
        const auto* error = std::get_if<RegistryError>(&result);
        return error != nullptr && says(*error, "no connection within 500 ms");
    });
    for (int i = 0; i < 3; ++i) {
        const auto error = error_of(registry->survey());
        EXPECT_FALSE(says(error, "127.0.0.1")) << "HTTP clients read it: " << error.detail;
    }
    EXPECT_EQ(log.count(server_.address()), at_first + 1) << log.text();
    EXPECT_GE(log.count("no connection within 500 ms; the servers are " + server_.address()), 1) << log.text();
    server_.start();
    wait_until_it_works([&] { return registry->survey(); });
    value_of(registry->survey());
    EXPECT_EQ(log.count("connected again to " + server_.address()), at_first == 0 ? 1 : 2) << log.text();
}

TEST_F(SessionTest, CancelEndsAWait) {
    server_.kill();
    auto patient = options();
    patient.connect_patience = 1h;
    const auto registry = this->registry(patient);
    auto survey = std::async(std::launch::async, [&] { return registry->survey(); });
    EXPECT_EQ(survey.wait_for(50ms), std::future_status::timeout);
    registry->cancel();
    ASSERT_EQ(survey.wait_for(60s), std::future_status::ready);
    EXPECT_EQ(error_of(survey.get()).fault, RegistryFault::unavailable);
    server_.start();
    EXPECT_EQ(error_of(registry->survey()).fault, RegistryFault::unavailable);
    EXPECT_EQ(error_of(registry->create(new_record(space_))).fault, RegistryFault::unavailable);
}

}  // namespace
}  // namespace frond::zookeeper
