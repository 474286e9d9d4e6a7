#include "cli/command_line.hpp"

#include <boost/asio.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace frond::cli {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::HasSubstr;

// A server that takes one connection, reads a request's head and answers with fixed bytes, then closes.
class OneAnswer {
public:
    explicit OneAnswer(std::string answer, const char* address = "127.0.0.1")
        : acceptor_(context_, tcp::endpoint(asio::ip::make_address(address), 0)),
          thread_([this, text = std::move(answer)] { serve(text); }) {}
    ~OneAnswer() {
        boost::system::error_code ignored;
        tcp::socket waker(context_);
        waker.connect(acceptor_.local_endpoint(), ignored);
        thread_.join();
    }
    OneAnswer(const OneAnswer&) = delete;
    OneAnswer& operator=(const OneAnswer&) = delete;

    [[nodiscard]] std::string port() const { return std::to_string(acceptor_.local_endpoint().port()); }
    // What was asked; call it when the command has returned.
    [[nodiscard]] const std::string& request() const { return request_; }

private:
    void serve(const std::string& answer) {
        boost::system::error_code ignored;
        tcp::socket socket(context_);
        acceptor_.accept(socket, ignored);
        asio::read_until(socket, asio::dynamic_buffer(request_), "\r\n\r\n", ignored);
        asio::write(socket, asio::buffer(answer), ignored);
        // Without an answer the peer has to give up by itself.
        char byte = 0;
        socket.read_some(asio::buffer(&byte, 1), ignored);
    }

    asio::io_context context_;
    tcp::acceptor acceptor_;
    std::string request_;
    std::thread thread_;
};

class Health : public CommandLine {};

TEST_F(Health, IsGoodWith200) {
    OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n");
    EXPECT_EQ(frond({"health", "--url", "http://127.0.0.1:" + server.port() + "/readyz?verbose"}).code, 0);
    EXPECT_EQ(server.request(),
              "GET /readyz?verbose HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\nConnection: close\r\n\r\n");
}

TEST_F(Health, IsBadWithAnyOtherStatus) {
    for (const char* status : {"503 Service Unavailable", "404 Not Found", "204 No Content", "500"}) {
        OneAnswer server(std::string("HTTP/1.1 ") + status + "\r\nContent-Length: 0\r\n\r\n");
        const Outcome outcome = frond({"health", "--url", "http://127.0.0.1:" + server.port()});
        EXPECT_EQ(outcome.code, 1) << status;
        EXPECT_THAT(outcome.err, HasSubstr(std::string(status).substr(0, 3)));
        EXPECT_THAT(server.request(), HasSubstr("GET / HTTP/1.1\r\n"));
    }
}

TEST_F(Health, IsBadWithoutAnHttpAnswer) {
    for (const char* answer :
         {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1200\r\n", "\r\n"}) {
        OneAnswer server(answer);
        const Outcome outcome = frond({"health", "--url", "http://127.0.0.1:" + server.port()});
        EXPECT_EQ(outcome.code, 1) << answer;
        EXPECT_NE(outcome.err, "") << answer;
    }
}

TEST_F(Health, GivesUpInTime) {
    OneAnswer server("");
    const Outcome outcome = frond({"health", "--timeout", "50ms", "--url", "http://127.0.0.1:" + server.port()});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("no answer in time"));
}

TEST_F(Health, IsBadWhenNobodyListens) {
    std::string port;
    {
        asio::io_context context;
        port = std::to_string(tcp::acceptor(context, tcp::endpoint(tcp::v4(), 0)).local_endpoint().port());
    }
    const Outcome outcome = frond({"health", "--url", "http://127.0.0.1:" + port});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("127.0.0.1:" + port));
}

TEST_F(Health, AsksTheConfiguredManagementAddress) {
    for (const char* host : {"127.0.0.1", "0.0.0.0", "[::]"}) {
        OneAnswer server("HTTP/1.1 200 OK\r\n\r\n");
        const std::string setting = std::string("server.management_listen=") + host + ":" + server.port();
        EXPECT_EQ(frond({"health", "--set", setting}).code, 0) << host;
        EXPECT_THAT(server.request(), HasSubstr("GET /readyz HTTP/1.1\r\n"));
    }
}

TEST_F(Health, CannotGuessAFreePort) {
    const Outcome outcome = frond({"health", "--set", "server.management_listen=127.0.0.1:0"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--url"));
}

TEST_F(Health, RefusesUrlsThatItCannotAsk) {
    for (const char* url :
         {"", "127.0.0.1:80", "https://127.0.0.1/", "http://", "http:///x", "http://h:99999/", "http://h/a b"}) {
        const Outcome outcome = frond({"health", "--url", url});
        EXPECT_EQ(outcome.code, 64) << url;
        EXPECT_EQ(outcome.out, "");
    }
}

}  // namespace
}  // namespace frond::cli
