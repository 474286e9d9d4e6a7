// A TCP proxy that loses what a test wants lost between a client and a server, whatever protocol they speak.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace frond::test {

// All functions from any thread. Stops, and closes all connections, when destroyed.
class LossyProxy {
public:
    enum class Fault {
        none,
        lose_request,  // a request that holds the mark never arrives, and its connection is closed
        lose_reply,    // it arrives and is answered, but the client sees the connection closed instead
    };
    // Whether these bytes of the server answer a request, rather than being sent for another reason.
    using IsReply = std::function<bool(std::string_view)>;

    // Listens on a free port of 127.0.0.1 and forwards to `target` there.
    explicit LossyProxy(
        std::uint16_t target, IsReply is_reply = [](std::string_view) { return true; });
    LossyProxy(const LossyProxy&) = delete;
    LossyProxy& operator=(const LossyProxy&) = delete;
    ~LossyProxy();

    // For all requests that hold the bytes of `mark`, until the next set(). `before`, if any, is called on a thread of
    // the proxy before each of them goes on; it must not use the proxy.
    void set(Fault fault, std::string mark = {}, std::function<void()> before = {});
    // How many requests met a fault. Of a lost reply: that the server has answered.
    [[nodiscard]] int lost() const;

    // Closes all connections, and each new one at once, as if the server was away; until open().
    void shut();
    void open();

    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void accept_all();
    void serve(int client);
    void forward(int client, int server);
    [[nodiscard]] Fault fault_of(std::string_view request) const;
    [[nodiscard]] bool admit(int client);
    void dismiss(int client);
    void count_loss();

    const std::uint16_t target_;
    const IsReply is_reply_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int stop_[2] = {-1, -1};  // a pipe: readable once the proxy stops
    mutable std::mutex mutex_;
    Fault fault_ = Fault::none;
    std::string mark_;
    std::function<void()> before_;
    int lost_ = 0;
    bool shut_ = false;
    std::set<int> clients_;               // connections to be cut by shut()
    std::list<std::thread> connections_;  // of the acceptor
    std::thread acceptor_;
};

}  // namespace frond::test
