// A network between a ZooKeeper client and its server that loses what a test wants to be lost.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace frond::test {

// Numbers of requests in ZooKeeper's protocol.
inline constexpr std::int32_t set_request = 5;
inline constexpr std::int32_t create_request = 15;

// Listens on a free port of 127.0.0.1. Thread-safe. Errors: exceptions of type std::runtime_error.
class ZooKeeperProxy {
public:
    enum class Loss {
        request,  // the server never gets it
        answer    // the server did what was asked, and answered
    };

    explicit ZooKeeperProxy(std::uint16_t server);
    ZooKeeperProxy(const ZooKeeperProxy&) = delete;
    ZooKeeperProxy& operator=(const ZooKeeperProxy&) = delete;
    ~ZooKeeperProxy();

    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

    // The next request of this kind after `spared` others is lost, or its answer, and with it the connection. `before`,
    // if any, is called on the proxy's thread just before the server would get the request; it must not use the proxy.
    void lose(std::int32_t request, Loss loss, int spared = 0, std::function<void()> before = {});
    // Whether that has happened.
    [[nodiscard]] bool lost() const;

private:
    struct Plan {
        std::int32_t request;
        Loss loss;
        int spared;
        std::function<void()> before;
    };
    struct Link;

    void run();
    void accept_one();
    [[nodiscard]] bool upstream(Link& link);
    [[nodiscard]] bool downstream(Link& link);
    [[nodiscard]] std::optional<Plan> take_plan(std::int32_t request);

    const std::uint16_t server_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    mutable std::mutex mutex_;
    std::optional<Plan> plan_;
    bool stopping_ = false;
    bool lost_ = false;
    std::list<Link> links_;  // of the thread
    std::thread thread_;
};

}  // namespace frond::test
