#include "http/client.hpp"
#include "http/test_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace frond::http {
namespace {

using testing::HasSubstr;

struct Fixture {
    TestHandler handler;
    ServerMetrics metrics;
    Server server{3, {}, metrics};

    Result<std::vector<std::string>> listen(const std::string& address) {
        return server.listen({.addresses = {address}, .handler = &handler});
    }
};

bool has_ipv6() { return std::ifstream("/proc/net/if_inet6").peek() != std::ifstream::traits_type::eof(); }

TEST(Listen, PicksOneFreePortForAllThreads) {
    Fixture fixture;
    const auto addresses = fixture.listen("127.0.0.1:0");
    ASSERT_TRUE(addresses);
    ASSERT_EQ(addresses->size(), 1U);
    const std::uint16_t port = port_of(addresses->front());
    EXPECT_GT(port, 0);
    fixture.server.start();
    for (int i = 0; i < 30; ++i) {
        Client client(port);
        client.send(get("/id"));
        EXPECT_EQ(client.read_reply().status, 200U);
    }
}

TEST(Listen, RefusesAPortInUseAlsoByAnotherServer) {
    Fixture first;
    const auto addresses = first.listen("127.0.0.1:0");
    ASSERT_TRUE(addresses);
    Fixture second;
    const auto refused = second.listen(addresses->front());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::invalid_configuration);
    EXPECT_THAT(refused.error().detail, HasSubstr(addresses->front()));
    EXPECT_THAT(refused.error().detail, HasSubstr("Address already in use"));
    EXPECT_THAT(refused.error().detail, HasSubstr("another port"));
    EXPECT_FALSE(second.listen("0.0.0.0:" + std::to_string(port_of(addresses->front()))));
    first.server.start();
    EXPECT_FALSE(second.listen(addresses->front()));
}

TEST(Listen, TakesAPortThatWasJustGivenUp) {
    std::string address = "127.0.0.1:0";
    for (int i = 0; i < 3; ++i) {
        Fixture fixture;
        const auto addresses = fixture.listen(address);
        ASSERT_TRUE(addresses) << addresses.error().detail;
        address = addresses->front();
        fixture.server.start();
        Client client(port_of(address));
        // The server closes first, so that its end stays in TIME_WAIT.
        client.send(get("/id", "Connection: close\r\n"));
        EXPECT_EQ(client.read_reply().status, 200U);
        EXPECT_TRUE(client.ends());
    }
}

TEST(Listen, RefusesAnAddressOfAnotherMachine) {
    Fixture fixture;
    const auto refused = fixture.listen("192.0.2.1:8080");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().detail, HasSubstr("192.0.2.1:8080"));
    EXPECT_THAT(refused.error().detail, HasSubstr("address of this machine"));
}

TEST(Listen, RefusesWhatIsNotAnAddress) {
    Fixture fixture;
    EXPECT_FALSE(fixture.listen("8080"));
    EXPECT_FALSE(fixture.listen("no-such-host.invalid:8080"));
}

TEST(Listen, TakesSeveralAddresses) {
    Fixture fixture;
    const auto addresses =
        fixture.server.listen({.addresses = {"127.0.0.1:0", "127.0.0.2:0"}, .handler = &fixture.handler});
    ASSERT_TRUE(addresses);
    ASSERT_EQ(addresses->size(), 2U);
    EXPECT_TRUE(addresses->back().starts_with("127.0.0.2:"));
}

TEST(Listen, ServesBothFamiliesFromTheV6Wildcard) {
    Fixture fixture;
    const auto addresses = fixture.listen("[::]:0");
    ASSERT_TRUE(addresses) << addresses.error().detail;
    const std::uint16_t port = port_of(addresses->front());
    fixture.server.start();
    Client v4(port);
    v4.send(get("/id"));
    EXPECT_EQ(v4.read_reply().status, 200U);
    EXPECT_EQ(addresses->front().starts_with("[::]:"), has_ipv6());
    if (!has_ipv6()) return;
    Client v6 = Client::to_v6_loopback(port);
    v6.send(get("/id"));
    EXPECT_EQ(v6.read_reply().status, 200U);
}

}  // namespace
}  // namespace frond::http
