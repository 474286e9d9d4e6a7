// The records of a name in ZooKeeper, for operators.
#pragma once

#include "worker/registry.hpp"
#include "zookeeper/name_tree.hpp"
#include "zookeeper/options.hpp"

#include <frond/result.hpp>

#include <memory>
#include <string>

namespace frond::zookeeper {

// One thread at a time. Blocks as ZooKeeperWorkerRegistry does.
class ZooKeeperWorkerAdmin final : public worker::WorkerAdmin {
public:
    // Connects to nothing yet. errc::invalid_configuration, naming the key.
    static Result<std::unique_ptr<ZooKeeperWorkerAdmin>> make(RegistryOptions options);

    [[nodiscard]] std::string describe() const override;
    // Without a clock: to read the server's, something would have to be written.
    worker::RegistryResult<worker::Survey> look() override;
    worker::RegistryResult<std::int64_t> raise_floor(std::int64_t floor_ms) override;

private:
    ZooKeeperWorkerAdmin(RegistryOptions options, const Paths& paths);

    NamedNode named();
    std::optional<std::int64_t> try_raise(std::int64_t floor_ms);

    const RegistryOptions options_;
    Session session_;
    Nodes nodes_;
    NameTree tree_;
};

}  // namespace frond::zookeeper
