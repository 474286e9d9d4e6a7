#include "http/client.hpp"
#include "http/test_server.hpp"

#include <gtest/gtest.h>

namespace frond::http {
namespace {

TEST(KeepAlive, AnswersOneAfterTheOther) {
    TestServer test;
    Client client(test.port);
    for (int i = 1; i <= 10; ++i) {
        client.send(get("/id"));
        const auto reply = client.read_reply();
        EXPECT_EQ(reply.status, 200U);
        EXPECT_EQ(reply.body, std::to_string(i));
        EXPECT_EQ(reply.header("Connection"), std::nullopt);
        EXPECT_EQ(reply.header("Cache-Control"), "no-store");
        EXPECT_EQ(reply.header("Content-Type"), "text/plain");
        EXPECT_EQ(reply.header("Date")->size(), 29U);
    }
    EXPECT_TRUE(eventually([&] { return test.metrics.requests.value() == 10; }));
    EXPECT_EQ(test.metrics.connections_accepted.value(), 1U);
    EXPECT_EQ(test.metrics.connections_open.value(), 1);
}

TEST(KeepAlive, EndsWhenTheClientSaysSo) {
    TestServer test;
    Client client(test.port);
    client.send(get("/id", "Connection: close\r\n") + get("/id"));
    EXPECT_EQ(client.read_reply().header("Connection"), "close");
    EXPECT_TRUE(client.ends());
}

TEST(KeepAlive, IsNotForHttp10UnlessAskedFor) {
    TestServer test;
    Client closing(test.port);
    closing.send("GET /id HTTP/1.0\r\n\r\n");
    EXPECT_EQ(closing.read_reply().header("Connection"), "close");
    EXPECT_TRUE(closing.ends());
    Client keeping(test.port);
    keeping.send("GET /id HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(keeping.read_reply().header("Connection"), "keep-alive");
    keeping.send("GET /id HTTP/1.0\r\n\r\n");
    EXPECT_EQ(keeping.read_reply().body, "3");
}

TEST(Pipelining, AnswersAHundredInOneBatchAndInOrder) {
    TestServer test;
    Client client(test.port);
    client.send(repeat(get("/id"), 100));
    for (int i = 1; i <= 100; ++i) EXPECT_EQ(client.read_reply().body, std::to_string(i));
    EXPECT_LT(test.handler.batches(), 100);
}

TEST(Pipelining, GoesOnPastTheSizeOfTheBuffers) {
    TestServer test;
    Client client(test.port);
    const std::string request = get("/id", "X-Padding: " + repeat("x", 700) + "\r\n");
    client.send(repeat(request, 1000));
    for (int i = 1; i <= 1000; ++i) ASSERT_EQ(client.read_reply().body, std::to_string(i));
}

TEST(Pipelining, TakesBytesOneByOne) {
    TestServer test;
    Client client(test.port);
    for (const char c : repeat(get("/id"), 3)) client.send({&c, 1});
    for (int i = 1; i <= 3; ++i) EXPECT_EQ(client.read_reply().body, std::to_string(i));
}

TEST(Pipelining, PassesOverEmptyLinesBetweenRequests) {
    TestServer test;
    Client client(test.port);
    client.send(std::string("\r\n") + get("/id") + "\r\n\r\n" + get("/id") + "\r");
    EXPECT_EQ(client.read_reply().body, "1");
    EXPECT_EQ(client.read_reply().body, "2");
    client.send("\n");
    client.send(get("/id"));
    EXPECT_EQ(client.read_reply().body, "3");
}

// A request that has to wait holds up those behind it, not those before it.
TEST(Pipelining, KeepsTheOrderAroundAWait) {
    TestServer test;
    Client client(test.port);
    client.send(get("/id") + get("/wait/a") + get("/id") + get("/wait/b") + get("/id"));
    EXPECT_EQ(client.read_reply().body, "1");
    ASSERT_TRUE(eventually([&] { return test.handler.waiting() == 1; }));
    Client other(test.port);
    other.send(get("/id"));
    EXPECT_EQ(other.read_reply().body, "2");
    test.handler.release();
    for (const char* body : {"/wait/a", "3", "/wait/b", "4"}) EXPECT_EQ(client.read_reply().body, body);
}

TEST(Pipelining, BringsLongRepliesWhole) {
    TestServer test;
    Client client(test.port);
    client.send(get("/big?3000000") + get("/id"));
    EXPECT_EQ(client.read_reply().body, repeat("x", 3'000'000));
    EXPECT_EQ(client.read_reply().body, "1");
}

TEST(Bodies, ArriveWholeHoweverTheyAreFramed) {
    TestServer test;
    Client client(test.port);
    const std::string body(60'000, 'b');
    client.send("POST /p HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer t\r\nContent-Length: 60000\r\n\r\n" + body);
    EXPECT_EQ(client.read_reply().body, "method 2\npath /p\nquery \nauthorization Bearer t\nbody " + body + "\n");
    client.send("POST /q HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nEA60\r\n" + body + "\r\n2\r\nxy\r\n");
    client.send("0\r\n\r\n" + get("/id"));
    EXPECT_EQ(client.read_reply().body, "method 2\npath /q\nquery \nauthorization \nbody " + body + "xy\n");
    EXPECT_EQ(client.read_reply().body, "1");
}

TEST(Bodies, AreSentOnceTheServerSaysContinue) {
    TestServer test;
    Client client(test.port);
    client.send(get("/id") + "POST /p HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.read_reply().body, "1");
    EXPECT_EQ(client.read_reply().head, "HTTP/1.1 100 Continue\r\n");
    client.send("ok");
    EXPECT_NE(client.read_reply().body.find("body ok"), std::string::npos);
}

TEST(AbsoluteForm, LeadsToThePath) {
    TestServer test;
    Client client(test.port);
    client.send(get("http://elsewhere:80/p?q") + get("http://elsewhere"));
    EXPECT_TRUE(client.read_reply().body.starts_with("method 0\npath /p\nquery q\n"));
    EXPECT_TRUE(client.read_reply().body.starts_with("method 0\npath /\nquery \n"));
}

TEST(Head, GetsNoBody) {
    TestServer test;
    Client client(test.port);
    client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n" + get("/id"));
    EXPECT_NE(client.read_reply(true).header("Content-Length"), "0");
    EXPECT_EQ(client.read_reply().body, "1");
}

TEST(HalfClose, StillGetsItsReplies) {
    TestServer test;
    Client client(test.port);
    client.send(get("/id") + get("/wait/a"));
    client.finish_sending();
    EXPECT_EQ(client.read_reply().body, "1");
    test.handler.release();
    EXPECT_EQ(client.read_reply().body, "/wait/a");
    EXPECT_TRUE(client.ends());
}

TEST(Connections, ComeAndGo) {
    TestServer test;
    for (int i = 0; i < 50; ++i) {
        Client client(test.port);
        client.send(get("/id"));
        EXPECT_EQ(client.read_reply().status, 200U);
    }
    EXPECT_TRUE(eventually([&] { return test.metrics.connections_open.value() == 0; }));
}

}  // namespace
}  // namespace frond::http
