// Worker IDs leased from ZooKeeper: the registry of those who take numbers.
#pragma once

#include "worker/registry.hpp"
#include "zookeeper/name_tree.hpp"
#include "zookeeper/options.hpp"
#include "zookeeper/presence.hpp"

#include <frond/result.hpp>

#include <memory>
#include <optional>
#include <string>

namespace frond::zookeeper {

// Layout under <root>/<name>, beside a Leaf server that has the same root and name if need be:
//   forever/frond:<owner>-NNNNNNNNNN   a record: a persistent node whose number the server drew from the counter of
//                                      `forever`, the parent that Leaf uses. None is ever deleted, save one that was
//                                      just made and whose number is too high
//   live/<random>                      ephemeral: an instance that is connected, with its identity
//   frond                              the NameRecord; `parent` is the zxid that created `forever`
// Thread safety and errors as WorkerRegistry says. Every call takes at most connect_patience, a look-up of host names
// and two session time-outs when the ensemble does not answer. Needs ZooKeeper 3.5.
class ZooKeeperWorkerRegistry final : public worker::WorkerRegistry {
public:
    // Connects to nothing yet. errc::invalid_configuration, naming the key.
    static Result<std::unique_ptr<ZooKeeperWorkerRegistry>> make(RegistryOptions options, JoinOptions join);

    [[nodiscard]] std::string describe() const override;
    // The clock is that of the sign of presence, which every call writes.
    worker::RegistryResult<worker::Survey> survey() override;
    // Needs a survey() that succeeded before; else `unavailable`.
    worker::RegistryResult<worker::Created> create(const worker::LeaseRecord& record) override;
    worker::RegistryResult<worker::Written> write(std::int64_t number, std::int64_t version,
                                                  const worker::LeaseRecord& record) override;
    // Both as fresh as a sync makes them, if that succeeds. find() deletes what it refuses as `full`, unless somebody
    // else has written it.
    worker::RegistryResult<worker::Found> read(std::int64_t number) override;
    worker::RegistryResult<worker::Found> find(const worker::LeaseRecord& created) override;
    void cancel() noexcept override { session_.cancel(); }

private:
    ZooKeeperWorkerRegistry(RegistryOptions options, JoinOptions join, const Paths& paths);

    worker::Survey join();
    void join_name();
    void make_name();
    void check_supply();
    CreatedNode create_node(const worker::LeaseRecord& record);
    std::int64_t keep(const CreatedNode& created);
    void check_found(const worker::RecordView& found, const worker::LeaseRecord& created);
    [[noreturn]] void refuse(const std::string& path, std::int32_t version);
    worker::Written replace(std::int64_t number, std::int64_t version, const worker::LeaseRecord& record);

    const RegistryOptions options_;
    const JoinOptions join_;
    Session session_;
    Nodes nodes_;
    NameTree tree_;
    Presence presence_;
    std::optional<worker::NameRecord> name_;  // once joined
};

}  // namespace frond::zookeeper
