#include "http/date_line.hpp"
#include "http/status.hpp"
#include "http/types.hpp"

#include <gtest/gtest.h>

namespace frond::http {
namespace {

struct Sent : Reply {
    std::string text;
    Sent() {
        out = &text;
        date = "Date: D\r\n";
    }
};

TEST(Reply, SendsAnId) {
    Sent reply;
    reply.text = "before";
    reply.send_id("12345");
    EXPECT_EQ(reply.text,
              "beforeHTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
              "Content-Length: 5\r\n\r\n12345");
    EXPECT_EQ(reply.status, 200U);
}

TEST(Reply, SendsALongText) {
    Sent reply;
    const std::string digits(1000, '1');
    reply.send_id(digits);
    EXPECT_NE(reply.text.find("Content-Length: 1000\r\n"), std::string::npos);
    EXPECT_NE(reply.text.find("Cache-Control: no-store\r\n"), std::string::npos);
    EXPECT_TRUE(reply.text.ends_with("\r\n\r\n" + digits));
}

TEST(Reply, SaysWhetherTheConnectionStays) {
    Sent closing;
    closing.keep_alive = false;
    closing.send_id("1");
    EXPECT_NE(closing.text.find("\r\nConnection: close\r\n"), std::string::npos);
    Sent old;
    old.http_1_0 = true;
    old.send(200, "text/plain", "x");
    EXPECT_NE(old.text.find("\r\nConnection: keep-alive\r\n"), std::string::npos);
}

TEST(Reply, SendsAnyStatus) {
    Sent reply;
    reply.send(405, "application/problem+json", "{}", "Allow: GET, POST\r\n");
    EXPECT_EQ(reply.text,
              "HTTP/1.1 405 Method Not Allowed\r\nDate: D\r\nContent-Type: application/problem+json\r\n"
              "Allow: GET, POST\r\nContent-Length: 2\r\n\r\n{}");
    EXPECT_EQ(reply.status, 405U);
}

TEST(Reply, LeavesTheBodyOutForHead) {
    Sent reply;
    reply.head = true;
    reply.send(405, "text/plain", "four");
    EXPECT_NE(reply.text.find("Content-Length: 4\r\n"), std::string::npos);
    EXPECT_TRUE(reply.text.ends_with("\r\n\r\n"));
}

TEST(Reply, HasNoLengthWhereThereIsNeverABody) {
    Sent reply;
    reply.send(204, {}, {});
    EXPECT_EQ(reply.text, "HTTP/1.1 204 No Content\r\nDate: D\r\n\r\n");
}

TEST(ReasonPhrase, IsThereForEveryStatusOfTheApi) {
    for (const unsigned status :
         {200U, 400U, 401U, 403U, 404U, 405U, 408U, 409U, 410U, 413U, 414U, 417U, 429U, 431U, 500U, 501U, 503U, 505U}) {
        EXPECT_NE(reason_phrase(status), reason_phrase(599)) << status;
    }
}

TEST(DateLine, IsAnImfFixdate) {
    DateLine date;
    EXPECT_EQ(date.view(), "");
    date.update(784111777);
    EXPECT_EQ(date.view(), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    date.update(1709210096);
    EXPECT_EQ(date.view(), "Date: Thu, 29 Feb 2024 12:34:56 GMT\r\n");
    date.update(0);
    EXPECT_EQ(date.view(), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
}

}  // namespace
}  // namespace frond::http
