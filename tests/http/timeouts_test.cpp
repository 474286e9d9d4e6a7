#include "http/client.hpp"
#include "http/test_server.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace frond::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds never{3'600'000};

TEST(Timeouts, EndARequestThatIsNeverComplete) {
    TestServer test({.request_timeout = milliseconds(50), .idle_timeout = never});
    for (const char* sent :
         {"G", "GET / HTTP/1.1\r\nHost: h\r\n", "\r", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc"}) {
        Client client(test.port);
        client.send(get("/id") + sent);
        EXPECT_EQ(client.read_reply().status, 200U);
        EXPECT_EQ(client.read_reply().status, 408U) << sent;
        EXPECT_TRUE(client.ends());
    }
    EXPECT_EQ(test.metrics.timeouts.value(), 4U);
}

TEST(Timeouts, DoNotTakeTheNextRequestForTheLast) {
    TestServer test({.request_timeout = milliseconds(50), .idle_timeout = never});
    Client client(test.port);
    client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.read_reply(true).status, 200U);
    client.send("\r");
    const auto reply = client.read_reply();
    EXPECT_EQ(reply.status, 408U);
    EXPECT_FALSE(reply.body.empty());
}

// The time counts from the first byte: sending more of them wins nothing.
TEST(Timeouts, EndASlowSender) {
    TestServer test({.request_timeout = milliseconds(100), .idle_timeout = never});
    Client client(test.port);
    std::jthread sender([&client](const std::stop_token& stop) {
        const std::string endless = "GET / HTTP/1.1\r\nHost: h\r\n" + repeat("a", 8000);
        for (const char c : endless) {
            if (stop.stop_requested() || client.send_some({&c, 1}, milliseconds(1)) == 0) return;
            std::this_thread::sleep_for(milliseconds(5));
        }
    });
    EXPECT_EQ(client.read_reply().status, 408U);
    sender.request_stop();
}

TEST(Timeouts, EndAnIdleConnectionWithoutAWord) {
    TestServer test({.request_timeout = never, .idle_timeout = milliseconds(50)});
    Client silent(test.port);
    EXPECT_TRUE(silent.ends());
    Client once(test.port);
    once.send(get("/id"));
    EXPECT_EQ(once.read_reply().status, 200U);
    EXPECT_TRUE(once.ends());
    EXPECT_EQ(test.metrics.timeouts.value(), 0U);
}

TEST(Timeouts, DoNotTouchARequestThatTheHandlerKeepsWaiting) {
    TestServer test({.request_timeout = milliseconds(20), .idle_timeout = milliseconds(20)});
    Client waiting(test.port);
    waiting.send(get("/wait/a"));
    ASSERT_TRUE(eventually([&] { return test.handler.waiting() == 1; }));
    // A connection that came later is closed for idleness; the one that waits is still there.
    EXPECT_TRUE(Client(test.port).ends());
    EXPECT_TRUE(Client(test.port).ends());
    test.handler.release();
    EXPECT_EQ(waiting.read_reply().body, "/wait/a");
}

// A client that never reads costs one bounded buffer, is closed in time, and stops nobody else.
TEST(Timeouts, EndASlowReader) {
    TestServer test({.request_timeout = milliseconds(100), .idle_timeout = never}, 1);
    Client slow(test.port, 4096);
    std::string requests;
    for (int i = 0; i < 20; ++i) requests += get("/big?1000000");
    slow.send(requests);
    Client other(test.port);
    other.send(get("/id"));
    EXPECT_EQ(other.read_reply().body, "1");
    EXPECT_TRUE(eventually([&] { return test.metrics.connections_open.value() == 1; }));
    EXPECT_EQ(test.metrics.timeouts.value(), 1U);
    EXPECT_LT(test.metrics.requests.value(), 21U);
}

TEST(Timeouts, LetASlowButSteadyReaderFinish) {
    TestServer test({.request_timeout = milliseconds(20'000), .idle_timeout = never});
    Client client(test.port, 4096);
    client.send(get("/big?500000") + get("/id"));
    EXPECT_EQ(client.read_reply().body.size(), 500'000U);
    EXPECT_EQ(client.read_reply().body, "1");
}

}  // namespace
}  // namespace frond::http
