#include "http/client.hpp"
#include "http/test_server.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace frond::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Drain, AnswersAndCloses) {
    TestServer test;
    {
        Client kept(test.port);
        kept.send(get("/id"));
        EXPECT_EQ(kept.read_reply().header("Connection"), std::nullopt);
        test.server.begin_drain();
        kept.send(get("/id"));
        EXPECT_EQ(kept.read_reply().header("Connection"), "close");
        EXPECT_TRUE(kept.ends());
    }
    {
        Client fresh(test.port);
        fresh.send(get("/id"));
        EXPECT_EQ(fresh.read_reply().header("Connection"), "close");
        EXPECT_TRUE(fresh.ends());
    }
    test.server.stop_listening();
    EXPECT_TRUE(test.server.wait_idle(seconds(20)));
    EXPECT_THROW(Client{test.port}, std::runtime_error);
}

TEST(Drain, AnswersEverythingThatHasArrived) {
    TestServer test;
    Client client(test.port);
    client.send(get("/wait/a"));
    ASSERT_TRUE(eventually([&] { return test.handler.waiting() == 1; }));
    test.server.begin_drain();
    client.send(get("/id") + get("/id"));
    test.handler.release();
    for (const char* body : {"/wait/a", "1", "2"}) EXPECT_EQ(client.read_reply().body, body);
    EXPECT_TRUE(client.ends());
}

TEST(Drain, KeepsAPipelineTogether) {
    TestServer test;
    test.server.begin_drain();
    Client client(test.port);
    client.send(get("/id") + get("/id") + get("/id"));
    EXPECT_EQ(client.read_reply().header("Connection"), std::nullopt);
    EXPECT_EQ(client.read_reply().header("Connection"), std::nullopt);
    EXPECT_EQ(client.read_reply().header("Connection"), "close");
    EXPECT_TRUE(client.ends());
}

TEST(Drain, EndsIdleConnectionsOnceTheListenersAreClosed) {
    TestServer test;
    Client idle(test.port);
    idle.send(get("/id"));
    EXPECT_EQ(idle.read_reply().status, 200U);
    Client fresh(test.port);
    ASSERT_TRUE(eventually([&] { return test.metrics.connections_open.value() == 2; }));
    test.server.begin_drain();
    test.server.stop_listening();
    EXPECT_TRUE(idle.ends());
    EXPECT_TRUE(fresh.ends());
    EXPECT_TRUE(test.server.wait_idle(seconds(20)));
}

TEST(Drain, WaitsForOpenRequestsWithinReason) {
    TestServer test;
    Client client(test.port);
    client.send(get("/wait/a"));
    ASSERT_TRUE(eventually([&] { return test.handler.waiting() == 1; }));
    test.server.begin_drain();
    test.server.stop_listening();
    EXPECT_FALSE(test.server.wait_idle(milliseconds(20)));
    test.handler.release();
    EXPECT_EQ(client.read_reply().body, "/wait/a");
    EXPECT_TRUE(client.ends());
    EXPECT_TRUE(test.server.wait_idle(seconds(20)));
}

// Connections that the kernel has let in but nobody has accepted yet are served all the same.
TEST(Drain, EmptiesTheQueue) {
    TestHandler handler;
    ServerMetrics metrics;
    Server server(1, {}, metrics);
    const auto addresses = server.listen({.addresses = {"127.0.0.1:0"}, .handler = &handler});
    ASSERT_TRUE(addresses);
    const std::uint16_t port = port_of(addresses->front());
    std::vector<Client> clients;
    for (int i = 0; i < 100; ++i) clients.emplace_back(port).send(get("/id"));
    server.begin_drain();
    server.start();
    server.stop_listening();
    EXPECT_EQ(metrics.connections_accepted.value(), 100U);
    for (Client& client : clients) EXPECT_EQ(client.read_reply().status, 200U);
    clients.clear();
    EXPECT_TRUE(server.wait_idle(seconds(20)));
}

TEST(Stop, ClosesEverything) {
    TestServer test;
    Client idle(test.port);
    Client waiting(test.port);
    Client partial(test.port);
    Client slow(test.port, 4096);
    waiting.send(get("/wait/a"));
    partial.send("GET /");
    slow.send(get("/big?10000000"));
    ASSERT_TRUE(eventually([&] { return test.handler.waiting() == 1 && test.metrics.connections_open.value() == 4; }));
    test.server.stop();
    for (Client* client : {&idle, &waiting, &partial}) EXPECT_TRUE(client->ends());
    slow.read_to_end();
    EXPECT_THROW(Client{test.port}, std::runtime_error);
    test.server.stop();
}

TEST(Stop, NeedsNoStart) {
    TestHandler handler;
    ServerMetrics metrics;
    Server server(2, {}, metrics);
    ASSERT_TRUE(server.listen({.addresses = {"127.0.0.1:0"}, .handler = &handler}));
    server.stop();
}

TEST(Stop, MayComeUnderLoad) {
    TestServer test;
    std::vector<std::jthread> threads;
    std::atomic<int> answered{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&test, &answered] {
            try {
                Client client(test.port);
                for (;;) {
                    client.send(get("/id") + get("/id"));
                    client.read_reply();
                    client.read_reply();
                    ++answered;
                }
            } catch (const std::runtime_error&) {
            }
        });
    }
    EXPECT_TRUE(eventually([&] { return answered > 100; }));
    test.server.stop();
}

}  // namespace
}  // namespace frond::http
