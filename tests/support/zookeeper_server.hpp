// A private standalone ZooKeeper server in a temporary folder, on a free port of 127.0.0.1. It ends with the object,
// and with the thread that started it whatever happens. Needs Debian's package zookeeper.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace frond::test {

// Not thread-safe. Errors: exceptions of type std::runtime_error.
class ZooKeeperServer {
public:
    // Ticks last 100 ms, so that the server grants session time-outs from 200 ms to 60 s.
    static constexpr std::chrono::milliseconds tick{100};

    // Starts at once, empty; returns when it serves.
    ZooKeeperServer();
    ZooKeeperServer(const ZooKeeperServer&) = delete;
    ZooKeeperServer& operator=(const ZooKeeperServer&) = delete;
    ~ZooKeeperServer();

    // The one that tests share; started when first used. Tests leave it running, each under a root of its own.
    static ZooKeeperServer& shared();

    // On the same port, with the data that it had when it ended; returns when it serves.
    void start();
    // kill -9, as a crash. What it acknowledged is there after start().
    void kill();
    // Stops the process where it is (SIGSTOP): connections stay open and nothing answers.
    void pause();
    void resume();
    [[nodiscard]] bool running() const { return pid_ > 0; }

    // Copies the data away; only while it is not running.
    void save();
    // Puts back what save() copied, as from a backup; only while it is not running.
    void restore();

    // Ends all sessions there are as if they had timed out: they are over when this returns, and their clients learn it
    // when they connect again.
    void expire_sessions() const;

    // The numbers of all sessions, also of clients that are not connected at the moment.
    [[nodiscard]] std::set<std::int64_t> sessions() const;

    // "127.0.0.1:PORT", as a connect string.
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    // What the server answers to a four-letter word; empty when it does not within a second.
    [[nodiscard]] std::string ask(const std::string& four_letters) const;

private:
    [[nodiscard]] std::vector<std::string> command() const;
    void write_configuration() const;
    void wait_until_serving();
    void signal(int number) const;

    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = -1;
};

}  // namespace frond::test
