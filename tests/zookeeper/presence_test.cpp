// The sign of presence while sessions overlap.
#include "registry_fixture.hpp"

namespace frond::zookeeper {
namespace {

class PresenceTest : public RegistryTest {
protected:
    PresenceTest() : RegistryTest(own_server()) {}

    static test::ZooKeeperServer& own_server() {
        static test::ZooKeeperServer server;
        return server;
    }

    // The session that the only sign belongs to; nothing when there is not just one.
    [[nodiscard]] std::optional<std::int64_t> owner_of_sign() {
        const auto signs = children(live());
        NodeStat stat;
        if (signs.size() != 1 || by_hand().exists(live() + "/" + signs[0], stat) != ZOK) return std::nullopt;
        return stat.session;
    }
};

// The server was away for longer than a session, so that there is a new handle; but it starts with the sessions that it
// had, and ends them later.
TEST_F(PresenceTest, DoesNotEndWithASessionThatWasGivenUp) {
    auto options = this->options();
    options.session_timeout = 2s;
    options.connect_patience = 100ms;
    const auto registry = this->registry(options);
    const auto works = [&] { return !std::holds_alternative<worker::RegistryError>(registry->survey()); };
    wait_for("a survey", works);
    const auto before = owner_of_sign();
    ASSERT_TRUE(before);

    server_.kill();
    const auto given_up = BootClock::now() + 2 * options.session_timeout;
    while (BootClock::now() < given_up) EXPECT_FALSE(works());
    server_.start();
    wait_for("a survey", works);
    const auto after = owner_of_sign();
    ASSERT_TRUE(after);
    EXPECT_NE(*after, *before);
    wait_for("the end of the old session", [&] { return !server_.sessions().contains(*before); });
    EXPECT_EQ(owner_of_sign(), after);
}

}  // namespace
}  // namespace frond::zookeeper
