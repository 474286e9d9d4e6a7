#include "support/lossy_proxy.hpp"
#include "support/zookeeper_server.hpp"
#include "worker/random_id.hpp"
#include "world.hpp"
#include "zookeeper/session.hpp"
#include "zookeeper/worker_admin.hpp"
#include "zookeeper/worker_registry.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace frond::test {
namespace {

// Answers carry the number of their request; pings and events have numbers below 0.
bool answers_a_request(std::string_view bytes) {
    return bytes.size() < 8 || (static_cast<unsigned char>(bytes[4]) & 0x80U) == 0;
}

// All worlds share one server, each under a root of its own.
class ZooKeeperWorld final : public World {
public:
    std::unique_ptr<worker::WorkerRegistry> join(const Member& member) override {
        zookeeper::JoinOptions join{member.space, member.identity, worker::random_id};
        auto made = zookeeper::ZooKeeperWorkerRegistry::make(options(member.name), std::move(join));
        if (!made) throw std::runtime_error(made.error().detail);
        return std::move(*made);
    }
    std::unique_ptr<worker::WorkerAdmin> admin(const std::string& name) override {
        auto made = zookeeper::ZooKeeperWorkerAdmin::make(options(name));
        if (!made) throw std::runtime_error(made.error().detail);
        return std::move(*made);
    }

    void lose_replies(const std::string& write) override { proxy_.set(LossyProxy::Fault::lose_reply, write); }
    bool lose_replies_above(const std::string& name, std::int64_t limit, const std::string& write) override {
        const auto others = [this, name, limit] {
            const std::string prefix = "10.0.0.1:8080-";
            while (number_after(put(name, prefix, "{}")) < limit) continue;
        };
        proxy_.set(LossyProxy::Fault::lose_reply, write, others);
        return true;
    }
    void lose_requests(const std::string& write) override { proxy_.set(LossyProxy::Fault::lose_request, write); }
    void lose_nothing() override { proxy_.set(LossyProxy::Fault::none); }

    void away() override { proxy_.shut(); }
    void back() override { proxy_.open(); }

    void save() override {
        server_.kill();
        server_.save();
        server_.start();
    }
    void restore() override {
        server_.kill();
        server_.restore();
        server_.start();
    }

    void put_unreadable(const std::string& name, const std::string& owner, const std::string& text) override {
        put(name, "frond:" + owner + "-", text);
    }
    bool put_foreign(const std::string& name) override {
        put(name, "10.0.0.1:8080-", R"({"ip":"10.0.0.1","port":"8080","timestamp":1})");
        return true;
    }
    void remove(const std::string&, const worker::RecordView& view) override {
        with_session([&](zookeeper::Session& session) { return session.remove(view.place, -1); });
    }

    [[nodiscard]] bool knows_present() const override { return true; }

private:
    [[nodiscard]] zookeeper::RegistryOptions options(const std::string& name) const {
        zookeeper::RegistryOptions options;
        options.connect = fmt::format("127.0.0.1:{}", proxy_.port());
        options.root = root_;
        options.name = name;
        options.session_timeout = std::chrono::seconds(2);
        options.connect_patience = std::chrono::seconds(3);
        return options;
    }

    // Past everything under test.
    template <class Work>
    void with_session(Work work) const {
        zookeeper::Session session(zookeeper::SessionOptions{server_.address(), std::chrono::seconds(10), {}});
        if (const auto wrong = session.connect()) throw std::runtime_error(*wrong);
        if (const int code = work(session); code != 0) throw std::runtime_error(fmt::format("ZooKeeper: {}", code));
    }
    // The path of the new node.
    std::string put(const std::string& name, const std::string& prefix, const std::string& text) const {
        std::string created;
        with_session([&](zookeeper::Session& session) {
            const std::string path = fmt::format("{}/{}/forever/{}", root_, name, prefix);
            zookeeper::NodeStat stat;
            return session.create(path, text, zookeeper::NodeKind::sequential, created, stat);
        });
        return created;
    }
    [[nodiscard]] static std::int64_t number_after(const std::string& path) {
        return std::stoll(path.substr(path.rfind('-') + 1)) + 1;
    }

    ZooKeeperServer& server_ = ZooKeeperServer::shared();
    const std::string root_ = "/contract-" + worker::random_id();
    LossyProxy proxy_{server_.port(), answers_a_request};
};

}  // namespace

std::unique_ptr<World> make_zookeeper_world() { return std::make_unique<ZooKeeperWorld>(); }

}  // namespace frond::test
