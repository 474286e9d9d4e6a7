#include "http/client.hpp"
#include "http/descriptors.hpp"
#include "http/test_server.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>

namespace frond::http {
namespace {

TEST(MaxConnections, RefusesTheOnesAbove) {
    TestServer test({.max_connections = 2});
    auto first = std::make_unique<Client>(test.port);
    Client second(test.port);
    for (Client* client : {first.get(), &second}) {
        client->send(get("/id"));
        EXPECT_EQ(client->read_reply().status, 200U);
    }
    EXPECT_TRUE(Client(test.port).ends());
    EXPECT_EQ(test.metrics.connections_refused.value(), 1U);
    EXPECT_EQ(test.metrics.connections_open.value(), 2);
    first.reset();
    EXPECT_TRUE(eventually([&] { return test.metrics.connections_open.value() == 1; }));
    Client third(test.port);
    third.send(get("/id"));
    EXPECT_EQ(third.read_reply().status, 200U);
}

// A flood of one port must not shut out the other, where health is asked.
TEST(MaxConnections, CountsEachListenApart) {
    TestHandler handler;
    ServerMetrics metrics;
    Server server(1, {.max_connections = 1}, metrics);
    const auto ids = server.listen({.addresses = {"127.0.0.1:0"}, .handler = &handler});
    const auto management = server.listen({.addresses = {"127.0.0.1:0"}, .handler = &handler});
    ASSERT_TRUE(ids && management);
    server.start();
    Client first(port_of(ids->front()));
    first.send(get("/id"));
    EXPECT_EQ(first.read_reply().status, 200U);
    EXPECT_TRUE(Client(port_of(ids->front())).ends());
    Client other(port_of(management->front()));
    other.send(get("/id"));
    EXPECT_EQ(other.read_reply().status, 200U);
}

// Takes every descriptor that the process may have, until it is destroyed.
class NoDescriptors {
public:
    NoDescriptors() {
        getrlimit(RLIMIT_NOFILE, &before_);
        highest_ = dup(STDIN_FILENO);
        const rlimit tight{static_cast<rlim_t>(highest_) + 1, before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &tight);
        for (int fd = dup(STDIN_FILENO); fd >= 0; fd = dup(STDIN_FILENO)) others_.push_back(fd);
    }
    ~NoDescriptors() {
        setrlimit(RLIMIT_NOFILE, &before_);
        close(highest_);
        for (const int fd : others_) close(fd);
    }

private:
    rlimit before_{};
    int highest_ = -1;
    std::vector<int> others_;
};

TEST(OutOfDescriptors, WaitsWithoutSpinning) {
    TestServer test({}, 1);
    Client warm(test.port);
    warm.send(get("/id"));
    EXPECT_EQ(warm.read_reply().status, 200U);
    // UBSan needs a descriptor to look at a type for the first time, and none will be left when the server warns.
    spdlog::warn("a {} ahead of the one to come", "warning");
    const int reserved = open("/dev/null", O_RDONLY | O_CLOEXEC);
    std::unique_ptr<Client> client;
    {
        const NoDescriptors none;
        close(reserved);  // for the client's end
        client = std::make_unique<Client>(test.port);
        client->send(get("/id"));
        ASSERT_TRUE(eventually([&] { return test.metrics.accept_failures.value() >= 2; }));
        // The connections that are open do not notice, and there are few attempts.
        warm.send(get("/id"));
        EXPECT_EQ(warm.read_reply().status, 200U);
        EXPECT_LT(test.metrics.accept_failures.value(), 100U);
    }
    EXPECT_EQ(client->read_reply().status, 200U);
}

TEST(DescriptorLimit, IsRaisedToTheHardOne) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit low{std::min<rlim_t>(256, before.rlim_max), before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
    rlimit after{};
    getrlimit(RLIMIT_NOFILE, &after);
    EXPECT_EQ(after.rlim_cur, before.rlim_max);
    setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace frond::http
