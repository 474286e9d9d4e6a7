#include "support/fake_registry.hpp"
#include "world.hpp"

#include <limits>

namespace frond::test {
namespace {

class FakeWorld final : public World {
public:
    std::unique_ptr<worker::WorkerRegistry> join(const Member& member) override {
        return std::make_unique<FakeRegistry>(store_, member.name, member.space, member.identity);
    }
    std::unique_ptr<worker::WorkerAdmin> admin(const std::string& name) override {
        return std::make_unique<FakeAdmin>(store_, name);
    }

    void lose_replies(const std::string&) override { store_->lose_replies(std::numeric_limits<int>::max()); }
    bool lose_replies_above(const std::string&, std::int64_t, const std::string&) override {
        store_->overrun_next_create();
        return true;
    }
    void lose_requests(const std::string&) override { store_->delay_changes(std::numeric_limits<int>::max()); }
    void lose_nothing() override {
        store_->lose_replies(0);
        store_->drop();
    }

    void away() override { store_->set_available(false); }
    void back() override { store_->set_available(true); }

    void save() override { saved_ = store_->snapshot(); }
    void restore() override { store_->restore(saved_); }

    void put_unreadable(const std::string& name, const std::string& owner, const std::string& text) override {
        store_->put_foreign(name, text, owner);
    }
    bool put_foreign(const std::string& name) override {
        store_->put_foreign(name, R"({"ip":"10.0.0.1","port":"8080","timestamp":1})", "");
        return true;
    }
    void remove(const std::string& name, const worker::RecordView& view) override { store_->remove(name, view.number); }

    [[nodiscard]] bool knows_present() const override { return true; }

private:
    const std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
    FakeStore::State saved_;
};

}  // namespace

std::unique_ptr<World> make_fake_world() { return std::make_unique<FakeWorld>(); }

}  // namespace frond::test
