#include "sql/key_admin.hpp"
#include "sql/query.hpp"
#include "sql/worker_admin.hpp"
#include "sql/worker_registry.hpp"
#include "support/lossy_proxy.hpp"
#include "support/mariadb_server.hpp"
#include "support/temp_folder.hpp"
#include "worker/random_id.hpp"
#include "world.hpp"

#include <fmt/format.h>

#include <future>
#include <stdexcept>
#include <thread>

namespace frond::test {
namespace {

using sql::Audience;
using sql::Database;
using sql::DatabaseOptions;

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().detail);
    return std::move(*result);
}

class SqlWorld : public World {
public:
    std::unique_ptr<worker::WorkerRegistry> join(const Member& member) override {
        sql::WorkerRegistryOptions options{member.name, member.space, worker::random_id, std::chrono::milliseconds(0)};
        return std::make_unique<sql::SqlWorkerRegistry>(must(Database::make(options_)), std::move(options));
    }
    std::unique_ptr<worker::WorkerAdmin> admin(const std::string& name) override {
        return std::make_unique<sql::SqlWorkerAdmin>(must(Database::make(options_)), name);
    }

    void save() override { direct("CREATE TABLE saved AS SELECT * FROM frond_worker"); }
    void restore() override {
        direct("DELETE FROM frond_worker");
        direct("INSERT INTO frond_worker SELECT * FROM saved");
    }

    void put_unreadable(const std::string& name, const std::string& owner, const std::string& text) override {
        direct(
            fmt::format("INSERT INTO frond_worker (name, worker_id, version, record, maker, modified) "
                        "SELECT '{0}', version, 7, '{1}', '{2}', 1 FROM frond_worker "
                        "WHERE name = '{0}' AND worker_id = -1",
                        name, text, owner));
        direct(fmt::format("UPDATE frond_worker SET version = version + 1 WHERE name = '{}' AND worker_id = -1", name));
    }
    bool put_foreign(const std::string&) override { return false; }
    void remove(const std::string& name, const worker::RecordView& view) override {
        direct(fmt::format("DELETE FROM frond_worker WHERE name = '{}' AND worker_id = {}", name, view.number));
    }

protected:
    void set_up(const DatabaseOptions& near, const std::string& url) {
        near_ = must(Database::make(near));
        static_cast<void>(must(sql::SqlKeyAdmin(near_).init()));
        options_ = near;
        options_.url = url;
    }
    static DatabaseOptions impatient() {
        DatabaseOptions options;
        options.connect_timeout = std::chrono::seconds(2);
        options.query_timeout = std::chrono::seconds(2);
        return options;
    }
    // Past everything under test.
    void direct(const std::string& text) const {
        const auto done = near_->read(Audience::operators, [&](soci::session& session) -> Result<void> {
            sql::Query(session, text).execute();
            return {};
        });
        if (!done) throw std::runtime_error(done.error().detail);
    }

    std::shared_ptr<Database> near_;
    DatabaseOptions options_;  // what handles are made with
};

// Away is a file whose write lock somebody keeps.
class SqliteWorld final : public SqlWorld {
public:
    SqliteWorld() {
        DatabaseOptions options = impatient();
        options.query_timeout = std::chrono::seconds(10);  // twelve writers wait for each other on a slow disk
        options.url = "sqlite:" + (folder_.path() / "frond.db").string();
        set_up(options, options.url);
    }
    ~SqliteWorld() override { back(); }

    [[nodiscard]] std::optional<std::string> why_no_loss() const override {
        return "SQLite is a library over a file: there is no connection whose answer could be lost";
    }
    void lose_replies(const std::string&) override { throw std::logic_error("no replies to lose"); }
    void lose_requests(const std::string&) override { throw std::logic_error("no requests to lose"); }
    void lose_nothing() override {}

    void away() override {
        options_.query_timeout = std::chrono::seconds(1);
        std::promise<void> locked;
        release_ = std::promise<void>();
        keeper_ = std::thread([this, &locked] {
            static_cast<void>(near_->transact(Audience::operators, [&](soci::session&) -> Result<void> {
                locked.set_value();
                release_.get_future().wait();
                return {};
            }));
        });
        locked.get_future().wait();
    }
    void back() override {
        if (!keeper_.joinable()) return;
        release_.set_value();
        keeper_.join();
    }
    [[nodiscard]] bool reads_when_away() const override { return true; }
    [[nodiscard]] bool has_clock() const override { return false; }

private:
    TempFolder folder_;
    std::promise<void> release_;
    std::thread keeper_;
};

class MariadbWorld final : public SqlWorld {
public:
    MariadbWorld() {
        MariadbServer& server = MariadbServer::shared();
        const std::string database = server.new_database();
        DatabaseOptions options = impatient();
        options.password = MariadbServer::password;
        options.url = server.url(database);
        set_up(options, fmt::format("mysql://frond@127.0.0.1:{}/{}", proxy_.port(), database));
    }

    // Each change is one transaction.
    void lose_replies(const std::string&) override { proxy_.set(LossyProxy::Fault::lose_reply, "COMMIT"); }
    void lose_requests(const std::string&) override { proxy_.set(LossyProxy::Fault::lose_request, "COMMIT"); }
    void lose_nothing() override { proxy_.set(LossyProxy::Fault::none); }

    void away() override { proxy_.shut(); }
    void back() override { proxy_.open(); }

private:
    LossyProxy proxy_{MariadbServer::shared().port()};
};

}  // namespace

std::unique_ptr<World> make_sqlite_world() { return std::make_unique<SqliteWorld>(); }
std::unique_ptr<World> make_mariadb_world() { return std::make_unique<MariadbWorld>(); }

}  // namespace frond::test
