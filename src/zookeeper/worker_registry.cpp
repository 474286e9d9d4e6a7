#include "zookeeper/worker_registry.hpp"

#include "zookeeper/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace frond::zookeeper {

using worker::Created;
using worker::Found;
using worker::LeaseRecord;
using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;
using worker::Written;

namespace {

// What a survey writes may be written again, so that all it can meet on the way is that it did not get through.
template <class T>
RegistryResult<T> settled(RegistryResult<T> result) {
    if (auto* error = std::get_if<RegistryError>(&result)) {
        const bool away = error->fault == RegistryFault::unknown || error->fault == RegistryFault::conflict ||
                          error->fault == RegistryFault::missing;
        if (away) error->fault = RegistryFault::unavailable;
    }
    return result;
}

// What stands in for an answer that did not come, when a node was made before: nobody knows whether it may be used.
[[noreturn]] void throw_unknown(const Failure& failure) {
    RegistryError error = failure.error();
    if (error.fault == RegistryFault::unavailable) error.fault = RegistryFault::unknown;
    throw Failure(std::move(error));
}

SessionOptions session_options(const RegistryOptions& options) {
    return {options.connect, options.session_timeout, options.auth, options.connect_patience};
}

}  // namespace

Result<std::unique_ptr<ZooKeeperWorkerRegistry>> ZooKeeperWorkerRegistry::make(RegistryOptions options,
                                                                               JoinOptions join) {
    if (auto checked = check(options); !checked) return checked.error();
    auto paths = Paths::make(options.root, options.name);
    if (!paths) return paths.error();
    return std::unique_ptr<ZooKeeperWorkerRegistry>(
        new ZooKeeperWorkerRegistry(std::move(options), std::move(join), *paths));
}

ZooKeeperWorkerRegistry::ZooKeeperWorkerRegistry(RegistryOptions options, JoinOptions join, const Paths& paths)
    : options_(std::move(options)),
      join_(std::move(join)),
      session_(session_options(options_)),
      nodes_(session_),
      tree_(nodes_, paths),
      presence_(nodes_, paths.live(), join_.new_id(), join_.identity) {}

std::string ZooKeeperWorkerRegistry::describe() const { return zookeeper::describe(options_, tree_.paths().base()); }

RegistryResult<Survey> ZooKeeperWorkerRegistry::survey() {
    return settled(answer(RegistryFault::unavailable, [this] {
        nodes_.connect();
        nodes_.sync(tree_.paths().base());
        return tree_.confirmed([this] { return join(); });
    }));
}

Survey ZooKeeperWorkerRegistry::join() {
    join_name();
    // Made before the records are read: those who look for live instances see this one.
    const worker::RegistryClock clock = presence_.announce();
    Survey survey = tree_.records();
    survey.name = *name_;
    survey.clock = clock;
    return survey;
}

// The name node is read first: where it is, the parent must be the one that it names, and none is made. Where it is
// not, the parent comes first, since the name node holds its zxid: who crashes between leaves a parent as Leaf would,
// and of several who come at once one makes each of the two, and all read what that one wrote.
void ZooKeeperWorkerRegistry::join_name() {
    auto named = tree_.name();
    if (!named) {
        make_name();
        named = tree_.name();
    }
    if (!named) {
        throw Failure(RegistryFault::unavailable, "ZooKeeper: " + tree_.paths().name_node() + " does not stay");
    }
    static_cast<void>(tree_.parent());
    name_ = std::move(named->record);
}

void ZooKeeperWorkerRegistry::make_name() {
    const std::string& parent = tree_.paths().parent();
    for (std::size_t end = parent.find('/', 1); end != std::string::npos; end = parent.find('/', end + 1)) {
        nodes_.ensure(parent.substr(0, end));
    }
    nodes_.ensure(parent);
    const auto stat = nodes_.exists(parent);
    if (!stat) throw Failure(RegistryFault::unavailable, "ZooKeeper: " + parent + " does not stay");
    worker::NameRecord name;
    name.id = join_.new_id();
    name.space = join_.space;
    name.parent = std::to_string(stat->created_zxid);
    nodes_.create(tree_.paths().name_node(), worker::format_name(name), NodeKind::persistent, Effect::none);
}

RegistryResult<Created> ZooKeeperWorkerRegistry::create(const LeaseRecord& record) {
    return answer(RegistryFault::unknown, [&] {
        nodes_.connect();
        tree_.confirmed([this] { check_supply(); });
        CreatedNode created = create_node(record);
        // A second time only where the first number is the one that is left alone; its node stays as it is.
        if (parse_node_name(created.path).number == 0) created = create_node(record);
        const std::int64_t number = keep(created);
        return Created{number, created.stat.version, created.stat.clock()};
    });
}

// Tries must not use up numbers that nobody gets.
void ZooKeeperWorkerRegistry::check_supply() {
    if (!name_) throw Failure(RegistryFault::unavailable, "ZooKeeper: no survey has succeeded yet");
    const std::int64_t next = std::max(tree_.parent().creations, first_number);
    if (next < join_.space.limit) return;
    throw Failure(RegistryFault::full, fmt::format("ZooKeeper: the counter of {} is at {}; numbers go to {}",
                                                   tree_.paths().parent(), next, join_.space.limit - 1));
}

CreatedNode ZooKeeperWorkerRegistry::create_node(const LeaseRecord& record) {
    const std::string path = tree_.paths().record(node_prefix(record.owner));
    auto created = nodes_.create(path, worker::format_record(record), NodeKind::sequential, Effect::create);
    return std::move(*created);
}

// A node that no instance of this space may use, just made: it goes again, in the version that is known.
void ZooKeeperWorkerRegistry::refuse(const std::string& path, std::int32_t version) {
    const bool gone = nodes_.remove(path, version);
    throw Failure(RegistryFault::full,
                  fmt::format("ZooKeeper: the node just made, {}, has no number below {}; {}", path, join_.space.limit,
                              gone ? "it was deleted again" : "it could not be deleted again"));
}

// The number of the node, once it is sure that it may be used; a node whose number is too high is deleted again.
std::int64_t ZooKeeperWorkerRegistry::keep(const CreatedNode& created) {
    const NodeName node = parse_node_name(std::string_view(created.path).substr(tree_.paths().parent().size() + 1));
    if (!node.number || !join_.space.holds(*node.number)) refuse(created.path, created.stat.version);
    tree_.check_write(created.path, created.stat);
    tree_.remember(node);
    try {
        // Had the parent been deleted and made again just before, this number would be one of a new counter.
        static_cast<void>(tree_.parent());
    } catch (const Failure& failure) {
        throw_unknown(failure);
    }
    return *node.number;
}

RegistryResult<Written> ZooKeeperWorkerRegistry::write(std::int64_t number, std::int64_t version,
                                                       const LeaseRecord& record) {
    return answer(RegistryFault::unknown, [&] {
        nodes_.connect();
        const Written written = replace(number, version, record);
        presence_.renew();  // an owner of a lease makes no survey any more
        return written;
    });
}

Written ZooKeeperWorkerRegistry::replace(std::int64_t number, std::int64_t version, const LeaseRecord& record) {
    const auto node = tree_.confirmed([&] { return tree_.with_number(number); });
    if (!node) {
        throw Failure(RegistryFault::missing,
                      fmt::format("ZooKeeper: {} has no node with the number {}", tree_.paths().parent(), number));
    }
    const std::string path = tree_.paths().record(node->text);
    if (!node->owner) throw Failure(RegistryFault::contradiction, "ZooKeeper: " + path + " was not made by Frond");
    // -1 would be any version.
    if (version < 0 || version > std::numeric_limits<std::int32_t>::max()) {
        throw Failure(RegistryFault::conflict, fmt::format("ZooKeeper: {} never has version {}", path, version));
    }
    const NodeStat stat = nodes_.set(path, worker::format_record(record), static_cast<std::int32_t>(version));
    tree_.check_write(path, stat);
    return Written{stat.version, stat.clock()};
}

RegistryResult<Found> ZooKeeperWorkerRegistry::read(std::int64_t number) {
    return settled(answer(RegistryFault::unavailable, [&] {
        nodes_.connect();
        nodes_.sync(tree_.paths().base());
        return tree_.confirmed([&] {
            const auto node = tree_.with_number(number);
            return node ? tree_.view(*node) : Found();
        });
    }));
}

RegistryResult<Found> ZooKeeperWorkerRegistry::find(const LeaseRecord& created) {
    return settled(answer(RegistryFault::unavailable, [&] {
        nodes_.connect();
        nodes_.sync(tree_.paths().base());
        return tree_.confirmed([&] {
            const auto node = tree_.made_for(created.owner);
            Found found = node ? tree_.view(*node) : Found();
            if (found) check_found(*found, created);
            return found;
        });
    }));
}

// A create whose answer was lost may have come too late for the last number: others took it since the counter was read.
void ZooKeeperWorkerRegistry::check_found(const worker::RecordView& found, const LeaseRecord& created) {
    if (join_.space.holds(found.number)) return;
    const bool untouched = found.record && found.record->owner == created.owner && found.record->write == created.write;
    if (untouched) refuse(found.place, static_cast<std::int32_t>(found.version));
    throw Failure(RegistryFault::full, fmt::format("ZooKeeper: the node made for this owner, {}, has no number below "
                                                   "{}, and somebody else has written it since",
                                                   found.place, join_.space.limit));
}

}  // namespace frond::zookeeper
