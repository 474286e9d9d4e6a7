#include "http/client.hpp"
#include "http/test_server.hpp"

#include <gtest/gtest.h>

namespace frond::http {
namespace {

struct Case {
    const char* name;
    std::string sent;
    unsigned status;
};

TEST(Refusals, AreAnsweredAndCloseTheConnection) {
    TestServer test;
    const std::vector<Case> cases = {
        {"garbage", "\x01\x02\x03\r\n\r\n", 400},
        {"garbage without a line's end", "\x16\x03\x01", 400},
        {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
        {"long target", get(std::string("/") + repeat("a", 5000)), 414},
        {"endless target", std::string("GET /") + repeat("a", 20'000), 414},
        {"large header block", get("/", std::string("A: ") + repeat("a", 9000) + "\r\n"), 431},
        {"endless header block", std::string("GET / HTTP/1.1\r\nHost: h\r\nA: ") + repeat("a", 100'000), 431},
        {"large body", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n", 413},
        {"large body, sent",
         std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n") + repeat("x", 500'000), 413},
        {"large body, expecting", "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n",
         413},
        {"large chunked body", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413},
        {"unknown expectation", get("/", "Expect: nothing\r\n"), 417},
        {"unknown coding", get("/", "Transfer-Encoding: gzip\r\n"), 501},
        {"unknown version", "GET / HTTP/2.0\r\n\r\n", 505},
        {"exception at once", get("/throw"), 500},
        {"exception later", get("/throw/late"), 500},
        {"no reply made", get("/silent"), 500},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.name);
        Client client(test.port);
        // A good request before it is answered first, whatever follows.
        client.send(get("/id") + each.sent);
        EXPECT_EQ(client.read_reply().status, 200U);
        const auto reply = client.read_reply();
        EXPECT_EQ(reply.status, each.status);
        EXPECT_EQ(reply.header("Connection"), "close");
        EXPECT_TRUE(client.ends());
    }
    EXPECT_TRUE(eventually([&] { return test.metrics.connections_open.value() == 0; }));
    EXPECT_EQ(test.metrics.requests.value(), 2 * cases.size());
}

TEST(Refusals, DropWhatFollows) {
    TestServer test;
    Client client(test.port);
    client.send("BAD\r\n\r\n" + get("/id"));
    EXPECT_EQ(client.read_reply().status, 400U);
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(test.metrics.requests.value(), 1U);
}

// A client that goes on sending for a while must not lose the reply to a reset.
TEST(Refusals, ReachAClientThatIsStillSending) {
    TestServer test;
    Client client(test.port);
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n");
    for (int i = 0; i < 9; ++i) client.send(repeat("x", 100'000));
    EXPECT_EQ(client.read_reply().status, 413U);
    EXPECT_TRUE(client.ends());
}

TEST(Refusals, DoNotReadForEver) {
    TestServer test;
    Client client(test.port);
    client.send("BAD\r\n\r\n");
    const std::string megabytes(64 * 1024 * 1024, 'x');
    EXPECT_LT(client.send_some(megabytes, std::chrono::seconds(20)), megabytes.size());
    EXPECT_TRUE(eventually([&] { return test.metrics.connections_open.value() == 0; }));
}

TEST(Refusals, AnswerARequestThatWasCutOff) {
    TestServer test;
    Client client(test.port);
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc");
    client.finish_sending();
    EXPECT_EQ(client.read_reply().status, 400U);
    EXPECT_TRUE(client.ends());
}

TEST(Refusals, GiveHeadNoBody) {
    TestServer test;
    Client client(test.port);
    client.send("HEAD / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.read_reply(true).status, 400U);
    EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace frond::http
