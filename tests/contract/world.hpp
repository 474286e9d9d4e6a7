// One registry of leases as the contract tests see it: handles on it, and what can happen to it.
#pragma once

#include "worker/registry.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace frond::test {

struct Member {
    std::string name = "frond";
    worker::LeaseSpace space;
    std::string identity = "instance";
};

// Each is empty when made. Not thread-safe; the handles it gives are independent of each other, and must go before it.
class World {
public:
    virtual ~World() = default;

    virtual std::unique_ptr<worker::WorkerRegistry> join(const Member& member) = 0;
    virtual std::unique_ptr<worker::WorkerAdmin> admin(const std::string& name) = 0;

    // Why no reply can be lost here; nothing where it can.
    [[nodiscard]] virtual std::optional<std::string> why_no_loss() const { return std::nullopt; }
    // Changes of a record with this `write` are done, but nobody hears of it; until lose_nothing().
    virtual void lose_replies(const std::string& write) = 0;
    // As lose_replies(), and others take numbers just before until `limit` is the next one. False where none can come
    // between the look at the last number and the making of the record, so that nothing is made above it.
    virtual bool lose_replies_above(const std::string& name, std::int64_t limit, const std::string& write) {
        static_cast<void>(name), static_cast<void>(limit), static_cast<void>(write);
        return false;
    }
    // They do not arrive.
    virtual void lose_requests(const std::string& write) = 0;
    virtual void lose_nothing() = 0;

    // Nothing can be written (where reads_when_away(), it can be read still), until back().
    virtual void away() = 0;
    virtual void back() = 0;
    [[nodiscard]] virtual bool reads_when_away() const { return false; }

    // As a backup, and as a restore of it.
    virtual void save() = 0;
    virtual void restore() = 0;

    // Puts a record with this text under the next number, as if an instance had made it for `owner`.
    virtual void put_unreadable(const std::string& name, const std::string& owner, const std::string& text) = 0;
    // A record that Frond did not make, under the next number; false where there is no such thing.
    virtual bool put_foreign(const std::string& name) = 0;
    virtual void remove(const std::string& name, const worker::RecordView& view) = 0;

    [[nodiscard]] virtual bool has_clock() const { return true; }
    [[nodiscard]] virtual bool knows_present() const { return false; }
};

enum class Kind { fake, sqlite, mariadb, zookeeper };

[[nodiscard]] const char* name_of(Kind kind) noexcept;
// For messages of GoogleTest.
inline std::ostream& operator<<(std::ostream& out, Kind kind) { return out << name_of(kind); }
[[nodiscard]] std::unique_ptr<World> make_world(Kind kind);

std::unique_ptr<World> make_fake_world();
std::unique_ptr<World> make_sqlite_world();
std::unique_ptr<World> make_mariadb_world();
std::unique_ptr<World> make_zookeeper_world();

}  // namespace frond::test
