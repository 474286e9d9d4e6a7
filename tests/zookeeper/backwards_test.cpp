// A server that lost writes which it had acknowledged: it comes back from a backup.
#include "registry_fixture.hpp"

namespace frond::zookeeper {
namespace {

using worker::RegistryError;
using worker::RegistryFault;

class BackwardsTest : public RegistryTest {
protected:
    BackwardsTest() : RegistryTest(own_server()) {}

    static test::ZooKeeperServer& own_server() {
        static test::ZooKeeperServer server;
        return server;
    }

    [[nodiscard]] std::unique_ptr<ZooKeeperWorkerRegistry> short_lived() const {
        auto options = this->options();
        options.session_timeout = 2s;
        options.connect_patience = 500ms;
        return registry(options);
    }

    void save() {
        server_.kill();
        server_.save();
        server_.start();
    }
    void restore() {
        server_.kill();
        server_.restore();
        server_.start();
    }

    // The first answer that is not that the server is away. The handle of before is refused for ever by a server that
    // is behind it, so that this takes a new one.
    template <class Call>
    auto answer_of(Call call) {
        auto result = call();
        wait_for("an answer", [&] {
            const auto* error = std::get_if<RegistryError>(&result);
            const bool away = error != nullptr &&
                              (error->fault == RegistryFault::unavailable || error->fault == RegistryFault::unknown);
            if (away) result = call();
            return !away;
        });
        return result;
    }
};

TEST_F(BackwardsTest, ShowsInASurvey) {
    const auto registry = short_lived();
    value_of(answer_of([&] { return registry->survey(); }));
    value_of(registry->create(new_record(space_)));
    save();
    value_of(answer_of([&] { return registry->survey(); }));
    value_of(registry->create(new_record(space_)));
    restore();
    EXPECT_EQ(error_of(answer_of([&] { return registry->survey(); })).fault, RegistryFault::went_backwards);
    EXPECT_EQ(error_of(registry->create(new_record(space_))).fault, RegistryFault::went_backwards);
}

TEST_F(BackwardsTest, ShowsInARecord) {
    const auto registry = short_lived();
    value_of(answer_of([&] { return registry->survey(); }));
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    save();
    value_of(answer_of([&] { return registry->write(created.number, 0, record); }));
    restore();
    EXPECT_EQ(error_of(answer_of([&] { return registry->read(created.number); })).fault, RegistryFault::went_backwards);
    EXPECT_EQ(error_of(registry->write(created.number, 1, record)).fault, RegistryFault::conflict);
}

TEST_F(BackwardsTest, ShowsInAWriteThatWouldHaveTheRightVersion) {
    const auto registry = short_lived();
    value_of(answer_of([&] { return registry->survey(); }));
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    save();
    value_of(answer_of([&] { return registry->survey(); }));
    // Much happens elsewhere, which the registry sees.
    for (int i = 0; i < 20; ++i) make(parent() + "/10.0.0.1:80-", "", NodeKind::sequential);
    value_of(registry->survey());
    restore();
    EXPECT_EQ(error_of(answer_of([&] { return registry->write(created.number, 0, record); })).fault,
              RegistryFault::went_backwards);
}

TEST_F(BackwardsTest, ARestartAloneIsNone) {
    const auto registry = short_lived();
    value_of(answer_of([&] { return registry->survey(); }));
    const auto record = new_record(space_);
    const auto created = value_of(registry->create(record));
    value_of(registry->write(created.number, 0, record));
    server_.kill();
    server_.start();
    value_of(answer_of([&] { return registry->survey(); }));
    EXPECT_EQ(value_of(registry->write(created.number, 1, record)).version, 2);
}

}  // namespace
}  // namespace frond::zookeeper
