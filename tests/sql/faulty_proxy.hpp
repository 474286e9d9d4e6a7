// A TCP proxy that loses what a test wants lost between a client and a MySQL server.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <thread>

namespace frond::sql {

// set() from any thread. Stops, and closes all connections, when destroyed.
class FaultyProxy {
public:
    enum class Fault {
        none,
        lose_commit,  // the client's COMMIT never arrives, and the connection is closed
        lose_answer,  // COMMIT arrives and is answered, but the client sees the connection closed
    };

    // Listens on a free port of 127.0.0.1 and forwards to `target` there.
    explicit FaultyProxy(std::uint16_t target);
    FaultyProxy(const FaultyProxy&) = delete;
    FaultyProxy& operator=(const FaultyProxy&) = delete;
    ~FaultyProxy();

    void set(Fault fault) { fault_ = fault; }
    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void accept_all();
    void serve(int client);

    const std::uint16_t target_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int stop_[2] = {-1, -1};  // a pipe: readable once the proxy stops
    std::atomic<Fault> fault_{Fault::none};
    std::list<std::thread> connections_;  // of the acceptor
    std::thread acceptor_;
};

}  // namespace frond::sql
