#include "support/zookeeper_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace frond::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

std::int32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<std::int32_t>(number);
}

bool send_all(int fd, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) return false;
        sent += static_cast<std::size_t>(n);
    }
    return true;
}

// Cuts a stream into frames: a length of four bytes, and that many bytes.
class Frames {
public:
    // Reads what there is; false at the end of the stream.
    bool read(int fd) {
        std::array<char, 65536> buffer{};
        const ssize_t n = recv(fd, buffer.data(), buffer.size(), 0);
        if (n <= 0) return false;
        bytes_.append(buffer.data(), static_cast<std::size_t>(n));
        return true;
    }
    // The next whole frame, with its length.
    std::optional<std::string> next() {
        if (bytes_.size() < 4) return std::nullopt;
        const auto size = 4 + static_cast<std::size_t>(number_at(bytes_, 0));
        if (bytes_.size() < size) return std::nullopt;
        std::string frame = bytes_.substr(0, size);
        bytes_.erase(0, size);
        return frame;
    }

private:
    std::string bytes_;
};

}  // namespace

struct ZooKeeperProxy::Link {
    Link(int client_fd, int server_fd) : client(client_fd), server(server_fd) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() {
        close(client);
        close(server);
    }

    const int client;
    const int server;
    Frames requests;
    Frames answers;
    bool greeted = false;                     // the first frame has no header
    std::optional<std::int32_t> lost_answer;  // to the request with this number
};

ZooKeeperProxy::ZooKeeperProxy(std::uint16_t server) : server_(server) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        close(listener_);
        throw std::runtime_error("proxy: no port");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
}

ZooKeeperProxy::~ZooKeeperProxy() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    thread_.join();
    close(listener_);
}

void ZooKeeperProxy::lose(std::int32_t request, Loss loss, int spared, std::function<void()> before) {
    const std::lock_guard lock(mutex_);
    plan_ = Plan{request, loss, spared, std::move(before)};
    lost_ = false;
}

bool ZooKeeperProxy::lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
}

std::optional<ZooKeeperProxy::Plan> ZooKeeperProxy::take_plan(std::int32_t request) {
    const std::lock_guard lock(mutex_);
    if (!plan_ || plan_->request != request || plan_->spared-- > 0) return std::nullopt;
    lost_ = true;
    return std::exchange(plan_, std::nullopt);
}

void ZooKeeperProxy::run() {
    constexpr int patience_ms = 20;
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) break;
        }
        std::vector<pollfd> fds{{listener_, POLLIN, 0}};
        for (const Link& link : links_) {
            fds.push_back({link.client, POLLIN, 0});
            fds.push_back({link.server, POLLIN, 0});
        }
        if (poll(fds.data(), fds.size(), patience_ms) <= 0) continue;
        std::size_t at = 1;
        for (auto link = links_.begin(); link != links_.end(); at += 2) {
            const bool alive =
                (fds[at].revents == 0 || upstream(*link)) && (fds[at + 1].revents == 0 || downstream(*link));
            link = alive ? std::next(link) : links_.erase(link);
        }
        if (fds[0].revents != 0) accept_one();
    }
    links_.clear();
}

void ZooKeeperProxy::accept_one() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(server_);
    links_.emplace_back(client, server);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) links_.pop_back();
}

// Client to server. False when the link is to be cut.
bool ZooKeeperProxy::upstream(Link& link) {
    if (!link.requests.read(link.client)) return false;
    while (auto frame = link.requests.next()) {
        if (std::exchange(link.greeted, true) && frame->size() >= 12) {
            const auto plan = take_plan(number_at(*frame, 8));
            if (plan && plan->before) plan->before();
            if (plan && plan->loss == Loss::request) return false;
            if (plan) link.lost_answer = number_at(*frame, 4);
        }
        if (!send_all(link.server, *frame)) return false;
    }
    return true;
}

// Server to client.
bool ZooKeeperProxy::downstream(Link& link) {
    if (!link.answers.read(link.server)) return false;
    while (auto frame = link.answers.next()) {
        if (link.lost_answer && frame->size() >= 8 && number_at(*frame, 4) == *link.lost_answer) return false;
        if (!send_all(link.client, *frame)) return false;
    }
    return true;
}

}  // namespace frond::test
