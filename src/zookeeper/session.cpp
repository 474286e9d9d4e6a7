#include "zookeeper/session.hpp"

#include "zookeeper/log_line.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace frond::zookeeper {
namespace {

// Longer data is none of ours, and no server takes more without being told.
constexpr int max_data = 1 << 20;
constexpr std::size_t usual_data = 4096;

void on_log(const char* line) noexcept {
    try {
        const LogLine parsed = parse_log_line(line);
        spdlog::debug("ZooKeeper client: {}{}{}", parsed.level, parsed.level.empty() ? "" : ": ", parsed.message);
    } catch (...) {  // nothing may go up into C; a lost line of debug is none to mourn
    }
}

void set_log_level_once() {
    static const bool done = [] {
        zoo_set_debug_level(ZOO_LOG_LEVEL_INFO);  // of the process
        return true;
    }();
    static_cast<void>(done);
}

int flags_of(NodeKind kind) noexcept {
    switch (kind) {
        case NodeKind::sequential:
            return ZOO_PERSISTENT_SEQUENTIAL;
        case NodeKind::ephemeral:
            return ZOO_EPHEMERAL;
        case NodeKind::persistent:
            break;
    }
    return ZOO_PERSISTENT;
}

// Measures one round trip.
class RoundTrip {
public:
    NodeStat stat(const Stat& stat) const {
        NodeStat result;
        result.created_zxid = stat.czxid;
        result.modified_zxid = stat.mzxid;
        result.children_zxid = stat.pzxid;
        result.modified_ms = stat.mtime;
        result.version = stat.version;
        // The server counts creations; what it shows is twice that, less the children there are.
        result.creations = stat.cversion < 0 ? -1 : (std::int64_t{stat.cversion} + stat.numChildren) / 2;
        result.session = stat.ephemeralOwner;
        result.moment = begin_ + (BootClock::now() - begin_) / 2;
        return result;
    }

private:
    const SteadyTime begin_ = BootClock::now();
};

const char* data_of(std::string_view data) noexcept { return data.data() == nullptr ? "" : data.data(); }

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() { close(); }

std::optional<std::string> Session::open() {
    set_log_level_once();
    {
        const std::lock_guard lock(events_.mutex);
        events_.state = ZOO_CONNECTING_STATE;
        events_.away_since = BootClock::now();
        events_.time_out = options_.session_timeout;
    }
    errno = 0;
    handle_ = zookeeper_init2(options_.connect.c_str(), &Session::on_event,
                              static_cast<int>(options_.session_timeout.count()), nullptr, &events_,
                              ZOO_NO_LOG_CLIENTENV, &on_log);
    if (handle_ == nullptr) {
        return fmt::format("ZooKeeper: cannot use zookeeper.connect: {}",
                           errno == 0 || errno == ENOENT ? "no host name resolves" : std::strerror(errno));
    }
    if (!options_.auth) return std::nullopt;
    const int code = zoo_add_auth(handle_, "digest", options_.auth->data(), static_cast<int>(options_.auth->size()),
                                  nullptr, nullptr);
    if (code == ZOK) return std::nullopt;
    close();  // without its credentials it would make nodes that are open to all
    return fmt::format("ZooKeeper: cannot hand over the credentials: {}", zerror(code));
}

void Session::close() noexcept {
    if (handle_ == nullptr) return;
    zookeeper_close(std::exchange(handle_, nullptr));
    syncs_.clear();
}

void Session::on_event(_zhandle* handle, int type, int state, const char* /*path*/, void* context) noexcept {
    if (type != ZOO_SESSION_EVENT) return;
    Events& events = *static_cast<Events*>(context);
    const std::lock_guard lock(events.mutex);
    if (state == ZOO_CONNECTED_STATE) {
        events.time_out = std::chrono::milliseconds(zoo_recv_timeout(handle));
    } else if (events.state == ZOO_CONNECTED_STATE) {
        events.away_since = BootClock::now();
    }
    events.state = state;
    events.changed.notify_all();
}

void Session::on_sync(int code, const char* /*path*/, const void* context) noexcept {
    SyncWait& wait = *static_cast<SyncWait*>(const_cast<void*>(context));
    const std::lock_guard lock(wait.events.mutex);
    wait.code = code;
    wait.events.changed.notify_all();
}

std::optional<std::string> Session::connect() {
    auto problem = try_connect();
    log_change(problem);
    return problem;
}

// What errors do not tell, as others read them: which servers.
void Session::log_change(const std::optional<std::string>& problem) {
    if (problem.has_value() == away_) return;
    {
        const std::lock_guard lock(events_.mutex);
        if (events_.cancelled) return;
    }
    away_ = problem.has_value();
    if (problem) {
        spdlog::warn("{}; the servers are {}", *problem, options_.connect);
    } else {
        spdlog::info("ZooKeeper: connected again to {}", options_.connect);
    }
}

std::optional<std::string> Session::try_connect() {
    const SteadyTime deadline = BootClock::now() + options_.connect_patience;
    for (;;) {
        if (auto problem = renew_if_ended()) return problem;
        std::unique_lock lock(events_.mutex);
        if (events_.cancelled) return "ZooKeeper: cancelled";
        if (events_.state == ZOO_CONNECTED_STATE) return std::nullopt;
        if (BootClock::now() >= deadline) {
            return fmt::format("ZooKeeper: no connection within {} ms", options_.connect_patience.count());
        }
        if (events_.state == ZOO_EXPIRED_SESSION_STATE || events_.state == ZOO_AUTH_FAILED_STATE) continue;
        wait(lock, std::min(deadline, events_.away_since + events_.time_out));
    }
}

// Makes a handle where there is none, and a new one where the old one has ended.
std::optional<std::string> Session::renew_if_ended() {
    bool refused = false;
    bool ended = false;
    {
        const std::lock_guard lock(events_.mutex);
        if (events_.cancelled) return std::nullopt;
        refused = events_.state == ZOO_AUTH_FAILED_STATE;
        ended = refused || events_.state == ZOO_EXPIRED_SESSION_STATE ||
                (events_.state != ZOO_CONNECTED_STATE && BootClock::now() - events_.away_since >= events_.time_out);
    }
    if (handle_ != nullptr && ended) {
        spdlog::debug("ZooKeeper session ended; a new one begins");
        close();
        if (refused) {
            const std::lock_guard lock(events_.mutex);
            events_.state = 0;
            return "ZooKeeper: the server refuses the credentials; check zookeeper.auth_file";
        }
    }
    return handle_ == nullptr ? open() : std::nullopt;
}

void Session::wait(std::unique_lock<std::mutex>& lock, SteadyTime deadline) {
    const auto left = deadline - BootClock::now();
    if (left > BootClock::duration::zero()) events_.changed.wait_for(lock, left);
}

std::int64_t Session::id() const noexcept { return handle_ == nullptr ? 0 : zoo_client_id(handle_)->client_id; }

int Session::sync(const std::string& path) {
    syncs_.remove_if([this](const SyncWait& wait) {
        const std::lock_guard lock(events_.mutex);
        return wait.code.has_value();
    });
    SyncWait& sync = syncs_.emplace_back(SyncWait{events_, std::nullopt});
    if (const int code = zoo_async(handle_, path.c_str(), &Session::on_sync, &sync); code != ZOK) {
        syncs_.pop_back();
        return code;
    }
    const SteadyTime deadline = BootClock::now() + options_.session_timeout;
    std::unique_lock lock(events_.mutex);
    while (!sync.code && !events_.cancelled && BootClock::now() < deadline) wait(lock, deadline);
    return sync.code.value_or(ZOPERATIONTIMEOUT);
}

int Session::create(const std::string& path, std::string_view data, NodeKind kind, std::string& created,
                    NodeStat& stat) {
    constexpr std::size_t number = 32;  // the number behind the path, its sign, and the end
    std::string buffer(path.size() + number, '\0');
    const ACL_vector* acl = options_.auth ? &ZOO_CREATOR_ALL_ACL : &ZOO_OPEN_ACL_UNSAFE;
    Stat raw{};
    const RoundTrip trip;
    const int code = zoo_create2(handle_, path.c_str(), data_of(data), static_cast<int>(data.size()), acl,
                                 flags_of(kind), buffer.data(), static_cast<int>(buffer.size()), &raw);
    if (code != ZOK) return code;
    stat = trip.stat(raw);
    created = buffer.c_str();
    return ZOK;
}

int Session::set(const std::string& path, std::string_view data, std::int32_t version, NodeStat& stat) {
    Stat raw{};
    const RoundTrip trip;
    const int code = zoo_set2(handle_, path.c_str(), data_of(data), static_cast<int>(data.size()), version, &raw);
    if (code == ZOK) stat = trip.stat(raw);
    return code;
}

int Session::get(const std::string& path, Node& node) {
    std::size_t room = usual_data;
    for (;;) {
        node.data.resize(room);
        int size = static_cast<int>(room);
        Stat raw{};
        const RoundTrip trip;
        if (const int code = zoo_get(handle_, path.c_str(), 0, node.data.data(), &size, &raw); code != ZOK) return code;
        // The client cuts what does not fit, without a word.
        if (raw.dataLength > static_cast<int>(room) && raw.dataLength <= max_data) {
            room = static_cast<std::size_t>(raw.dataLength);
            continue;
        }
        node.data.resize(static_cast<std::size_t>(std::max(size, 0)));
        node.stat = trip.stat(raw);
        return ZOK;
    }
}

int Session::exists(const std::string& path, NodeStat& stat) {
    Stat raw{};
    const RoundTrip trip;
    const int code = zoo_exists(handle_, path.c_str(), 0, &raw);
    if (code == ZOK) stat = trip.stat(raw);
    return code;
}

int Session::children(const std::string& path, std::vector<std::string>& names, NodeStat& stat) {
    String_vector found{};
    Stat raw{};
    const RoundTrip trip;
    const int code = zoo_get_children2(handle_, path.c_str(), 0, &found, &raw);
    if (code != ZOK) return code;
    const auto free_names = [](String_vector* vector) { deallocate_String_vector(vector); };
    const std::unique_ptr<String_vector, decltype(free_names)> owned(&found, free_names);
    names.assign(found.data, found.data + found.count);
    stat = trip.stat(raw);
    return ZOK;
}

int Session::remove(const std::string& path, std::int32_t version) {
    return zoo_delete(handle_, path.c_str(), version);
}

void Session::cancel() noexcept {
    const std::lock_guard lock(events_.mutex);
    events_.cancelled = true;
    events_.changed.notify_all();
}

}  // namespace frond::zookeeper
