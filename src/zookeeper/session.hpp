// A session with a ZooKeeper ensemble that renews itself: one handle of the C client at a time.
#pragma once

#include "zookeeper/node.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct _zhandle;

namespace frond::zookeeper {

struct SessionOptions {
    std::string connect;                                // "host:port,host:port/chroot"
    std::chrono::milliseconds session_timeout{10'000};  // asked for; the server may grant another
    std::optional<std::string> auth;                    // "user:password" of the digest scheme
    std::chrono::milliseconds connect_patience{5'000};  // how long connect() waits
};

enum class NodeKind { persistent, sequential, ephemeral };

// All calls but cancel() by one thread at a time. They block: connect() for connect_patience, a look-up of the host
// names besides; sync() for the session time-out; the others until the client notices that the server does not answer,
// at most the session time-out. They return a code of zookeeper.h, ZOK for success, and fill their last arguments then.
// They need connect() to have succeeded before. No call throws but std::bad_alloc.
class Session {
public:
    explicit Session(SessionOptions options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    // Ends the session on the server too, if it can be told: up to a few seconds.
    ~Session();

    // Waits until the ensemble is connected. Keeps the handle while the client looks for a server by itself; makes a
    // new one when the session expired or was refused, and when it has been away for a whole session time-out: after a
    // restore of the ensemble the old one would be refused for ever. Returns what is wrong, without addresses, or
    // nothing; logs a line with the addresses when connecting begins to fail, and one when it works again.
    [[nodiscard]] std::optional<std::string> connect();

    // Changes with every new session on the server; valid while connected.
    [[nodiscard]] std::int64_t id() const noexcept;

    // Has the server catch up with the ensemble's leader.
    int sync(const std::string& path);
    int create(const std::string& path, std::string_view data, NodeKind kind, std::string& created, NodeStat& stat);
    int set(const std::string& path, std::string_view data, std::int32_t version, NodeStat& stat);
    int get(const std::string& path, Node& node);
    int exists(const std::string& path, NodeStat& stat);
    int children(const std::string& path, std::vector<std::string>& names, NodeStat& stat);
    int remove(const std::string& path, std::int32_t version);

    // Ends waits, now and later; a call that waits for the server ends by itself. Any thread.
    void cancel() noexcept;

private:
    // What the callbacks of the handle tell. They run on the client's threads; all are over when the handle is closed.
    struct Events {
        std::mutex mutex;
        std::condition_variable changed;
        bool cancelled = false;
        int state = 0;                         // of zookeeper.h
        SteadyTime away_since;                 // when not connected: since when
        std::chrono::milliseconds time_out{};  // granted; until then asked for
    };
    struct SyncWait {
        Events& events;
        std::optional<int> code;
    };

    static void on_event(_zhandle* handle, int type, int state, const char* path, void* context) noexcept;
    static void on_sync(int code, const char* path, const void* context) noexcept;

    [[nodiscard]] std::optional<std::string> try_connect();
    void log_change(const std::optional<std::string>& problem);
    [[nodiscard]] std::optional<std::string> open();
    void close() noexcept;
    [[nodiscard]] std::optional<std::string> renew_if_ended();
    void wait(std::unique_lock<std::mutex>& lock, SteadyTime deadline);

    const SessionOptions options_;
    Events events_;
    std::list<SyncWait> syncs_;  // the client may call back, or never, until the handle is closed
    _zhandle* handle_ = nullptr;
    bool away_ = false;  // the last connect() failed
};

}  // namespace frond::zookeeper
