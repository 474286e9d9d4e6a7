// What tests of the registry share: registries under a root of the test's own, and a session beside them that does what
// Leaf, an operator or an accident would do.
#pragma once

#include "support/zookeeper_server.hpp"
#include "worker/random_id.hpp"
#include "zookeeper/session.hpp"
#include "zookeeper/worker_admin.hpp"
#include "zookeeper/worker_registry.hpp"

#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace frond::zookeeper {

using namespace std::chrono_literals;

// Waits until the condition holds; the test fails when it does not within 30 s.
template <class Condition>
void wait_for(std::string_view what, Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!condition()) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << what;
        std::this_thread::sleep_for(10ms);
    }
}

template <class T>
T value_of(worker::RegistryResult<T> result) {
    if (const auto* error = std::get_if<worker::RegistryError>(&result)) {
        throw std::runtime_error("fault " + std::to_string(static_cast<int>(error->fault)) + ": " + error->detail);
    }
    return std::get<T>(std::move(result));
}

// The error; a test that expected one fails when there is none.
template <class T>
worker::RegistryError error_of(const worker::RegistryResult<T>& result) {
    if (const auto* error = std::get_if<worker::RegistryError>(&result)) return *error;
    throw std::runtime_error("expected an error");
}

inline bool says(const worker::RegistryError& error, std::string_view text) {
    return error.detail.find(text) != std::string::npos;
}

inline worker::LeaseRecord new_record(const worker::LeaseSpace& space, std::string identity = "host:8080") {
    worker::LeaseRecord record;
    record.owner = worker::random_id();
    record.write = worker::random_id();
    record.identity = std::move(identity);
    record.ip = "10.0.0.1";
    record.port = "8080";
    record.timestamp = 1'700'000'000'000;
    record.fence = 1'700'000'900'000;
    record.space = space;
    return record;
}

class RegistryTest : public ::testing::Test {
protected:
    explicit RegistryTest(test::ZooKeeperServer& server = test::ZooKeeperServer::shared()) : server_(server) {}

    [[nodiscard]] RegistryOptions options() const {
        RegistryOptions options;
        options.connect = server_.address();
        options.root = root_;
        options.name = "orders";
        options.session_timeout = 10s;
        options.connect_patience = 5s;
        return options;
    }

    [[nodiscard]] std::unique_ptr<ZooKeeperWorkerRegistry> registry(const RegistryOptions& options,
                                                                    const std::string& identity = "host:8080") const {
        auto made = ZooKeeperWorkerRegistry::make(options, {space_, identity, &worker::random_id});
        if (!made) throw std::runtime_error(made.error().detail);
        return std::move(*made);
    }
    [[nodiscard]] std::unique_ptr<ZooKeeperWorkerRegistry> registry() const { return registry(options()); }

    [[nodiscard]] std::unique_ptr<ZooKeeperWorkerAdmin> admin() const {
        auto made = ZooKeeperWorkerAdmin::make(options());
        if (!made) throw std::runtime_error(made.error().detail);
        return std::move(*made);
    }
    // Identities, in order, as operators see them.
    [[nodiscard]] std::vector<std::string> who_is_present() const { return value_of(admin()->look()).present; }

    // A session with which the test does things to nodes.
    Session& by_hand() {
        if (!by_hand_) by_hand_ = std::make_unique<Session>(SessionOptions{server_.address(), 10s, std::nullopt, 10s});
        if (const auto problem = by_hand_->connect()) throw std::runtime_error(*problem);
        return *by_hand_;
    }

    // All sessions on the server; returns when that of this test has another one.
    void expire_sessions() {
        const std::int64_t before = by_hand().id();
        server_.expire_sessions();
        wait_for("another session", [&] { return by_hand().id() != before; });
    }

    std::string make(const std::string& path, std::string_view data = "", NodeKind kind = NodeKind::persistent) {
        std::string created;
        NodeStat stat;
        const int code = by_hand().create(path, data, kind, created, stat);
        if (code != ZOK) throw std::runtime_error(path + ": " + zerror(code));
        return created;
    }
    void make_parents() {
        for (const std::string& path : {root_, root_ + "/orders", parent()}) make(path);
    }
    void remove(const std::string& path) {
        std::vector<std::string> names;
        NodeStat stat;
        if (by_hand().children(path, names, stat) != ZOK) return;
        for (const std::string& name : names) remove(path + "/" + name);
        EXPECT_EQ(by_hand().remove(path, -1), ZOK) << path;
    }
    [[nodiscard]] std::vector<std::string> children(const std::string& path) {
        std::vector<std::string> names;
        NodeStat stat;
        EXPECT_EQ(by_hand().children(path, names, stat), ZOK) << path;
        return names;
    }
    [[nodiscard]] std::string data(const std::string& path) {
        Node node;
        EXPECT_EQ(by_hand().get(path, node), ZOK) << path;
        return node.data;
    }

    [[nodiscard]] std::string parent() const { return root_ + "/orders/forever"; }
    [[nodiscard]] std::string live() const { return root_ + "/orders/live"; }
    [[nodiscard]] std::string name_node() const { return root_ + "/orders/frond"; }

    test::ZooKeeperServer& server_;
    const std::string root_ = "/test-" + worker::random_id();
    worker::LeaseSpace space_{SnowflakeLayout(), 0, 1024};

private:
    std::unique_ptr<Session> by_hand_;
};

}  // namespace frond::zookeeper
