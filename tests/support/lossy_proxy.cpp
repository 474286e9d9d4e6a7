#include "support/lossy_proxy.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace frond::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

int connect_to(std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

bool send_all(int fd, std::string_view data) {
    while (!data.empty()) {
        const ssize_t sent = send(fd, data.data(), data.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        data.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

LossyProxy::LossyProxy(std::uint16_t target, IsReply is_reply) : target_(target), is_reply_(std::move(is_reply)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0 || pipe2(stop_, O_CLOEXEC) != 0) {
        throw std::runtime_error("the proxy cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
}

LossyProxy::~LossyProxy() {
    close(stop_[1]);
    acceptor_.join();
    for (std::thread& connection : connections_) connection.join();
    close(stop_[0]);
    close(listener_);
}

void LossyProxy::accept_all() {
    while (true) {
        std::array<pollfd, 2> ready{pollfd{listener_, POLLIN, 0}, pollfd{stop_[0], POLLIN, 0}};
        poll(ready.data(), ready.size(), -1);
        if (ready[1].revents != 0) return;
        const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        connections_.emplace_back([this, client] { serve(client); });
    }
}

void LossyProxy::serve(int client) {
    if (admit(client)) {
        const int server = connect_to(target_);
        if (server >= 0) {
            forward(client, server);
            close(server);
        }
        dismiss(client);
    }
    close(client);
}

void LossyProxy::forward(int client, int server) {
    bool lose_reply = false;
    while (true) {
        std::array<pollfd, 3> ready{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}, pollfd{stop_[0], POLLIN, 0}};
        poll(ready.data(), ready.size(), -1);
        if (ready[2].revents != 0) return;
        const bool from_client = ready[0].revents != 0;
        std::array<char, 65536> buffer;
        const ssize_t got = recv(from_client ? client : server, buffer.data(), buffer.size(), 0);
        if (got <= 0) return;
        const std::string_view data(buffer.data(), static_cast<std::size_t>(got));
        if (from_client) {
            const Fault fault = fault_of(data);
            lose_reply = lose_reply || fault == Fault::lose_reply;
            if (fault == Fault::lose_request) return count_loss();
        } else if (lose_reply && is_reply_(data)) {
            return count_loss();
        }
        if (!send_all(from_client ? server : client, data)) return;
    }
}

void LossyProxy::set(Fault fault, std::string mark, std::function<void()> before) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    mark_ = std::move(mark);
    before_ = std::move(before);
}

LossyProxy::Fault LossyProxy::fault_of(std::string_view request) const {
    Fault fault = Fault::none;
    std::function<void()> before;
    {
        const std::lock_guard lock(mutex_);
        if (fault_ == Fault::none || request.find(mark_) == std::string_view::npos) return Fault::none;
        fault = fault_;
        before = before_;
    }
    if (before) before();
    return fault;
}

int LossyProxy::lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
}

void LossyProxy::count_loss() {
    const std::lock_guard lock(mutex_);
    ++lost_;
}

bool LossyProxy::admit(int client) {
    const std::lock_guard lock(mutex_);
    if (!shut_) clients_.insert(client);
    return !shut_;
}

void LossyProxy::dismiss(int client) {
    const std::lock_guard lock(mutex_);
    clients_.erase(client);
}

void LossyProxy::shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    for (const int client : clients_) shutdown(client, SHUT_RDWR);
}

void LossyProxy::open() {
    const std::lock_guard lock(mutex_);
    shut_ = false;
}

}  // namespace frond::test
