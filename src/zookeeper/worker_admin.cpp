#include "zookeeper/worker_admin.hpp"

#include "zookeeper/failure.hpp"
#include "zookeeper/presence.hpp"

#include <fmt/format.h>

namespace frond::zookeeper {

using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;

Result<std::unique_ptr<ZooKeeperWorkerAdmin>> ZooKeeperWorkerAdmin::make(RegistryOptions options) {
    if (auto checked = check(options); !checked) return checked.error();
    auto paths = Paths::make(options.root, options.name);
    if (!paths) return paths.error();
    return std::unique_ptr<ZooKeeperWorkerAdmin>(new ZooKeeperWorkerAdmin(std::move(options), *paths));
}

ZooKeeperWorkerAdmin::ZooKeeperWorkerAdmin(RegistryOptions options, const Paths& paths)
    : options_(std::move(options)),
      session_({options_.connect, options_.session_timeout, options_.auth, options_.connect_patience}),
      nodes_(session_),
      tree_(nodes_, paths) {}

std::string ZooKeeperWorkerAdmin::describe() const { return zookeeper::describe(options_, tree_.paths().base()); }

NamedNode ZooKeeperWorkerAdmin::named() {
    auto node = tree_.name();
    if (!node) {
        throw Failure(RegistryFault::missing,
                      fmt::format("ZooKeeper: there is no {}; no instance has ever joined the name {}",
                                  tree_.paths().name_node(), options_.name));
    }
    return std::move(*node);
}

RegistryResult<Survey> ZooKeeperWorkerAdmin::look() {
    return answer(RegistryFault::unavailable, [this] {
        nodes_.connect();
        nodes_.sync(tree_.paths().base());
        return tree_.confirmed([this] {
            NamedNode node = named();
            Survey survey = tree_.records();
            survey.name = std::move(node.record);
            survey.present = present(nodes_, tree_.paths().live());
            return survey;
        });
    });
}

RegistryResult<std::int64_t> ZooKeeperWorkerAdmin::raise_floor(std::int64_t floor_ms) {
    return answer(RegistryFault::unknown, [&] {
        nodes_.connect();
        nodes_.sync(tree_.paths().base());
        constexpr int tries = 10;
        for (int i = 0; i < tries; ++i) {
            if (const auto floor = try_raise(floor_ms)) return *floor;
        }
        throw Failure(RegistryFault::unavailable,
                      "ZooKeeper: others write " + tree_.paths().name_node() + " all the time; try again");
    });
}

// Nothing when somebody else wrote in between.
std::optional<std::int64_t> ZooKeeperWorkerAdmin::try_raise(std::int64_t floor_ms) {
    NamedNode node = tree_.confirmed([this] { return named(); });
    if (node.record.floor >= floor_ms) return node.record.floor;
    node.record.floor = floor_ms;
    try {
        const std::string& path = tree_.paths().name_node();
        tree_.check_write(path, nodes_.set(path, worker::format_name(node.record), node.version));
        return floor_ms;
    } catch (const Failure& failure) {
        if (failure.error().fault == RegistryFault::conflict) return std::nullopt;
        throw;
    }
}

}  // namespace frond::zookeeper
