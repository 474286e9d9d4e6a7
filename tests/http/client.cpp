#include "http/client.hpp"

#include "http/text.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace frond::http {

namespace {

constexpr int patience_ms = 20'000;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

}  // namespace

std::optional<std::string> ReceivedReply::header(std::string_view name) const {
    std::size_t begin = head.find("\r\n") + 2;
    while (begin < head.size()) {
        const std::size_t end = head.find("\r\n", begin);
        const std::string_view line(head.data() + begin, end - begin);
        const std::size_t colon = line.find(": ");
        if (equals_ignoring_case(line.substr(0, colon), name)) return std::string(line.substr(colon + 2));
        begin = end + 2;
    }
    return std::nullopt;
}

Client::Client(std::uint16_t port, int receive_buffer) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
}

Client::Client(ToV6Loopback, std::uint16_t port) {
    socket_ = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = in6addr_loopback;
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
}

Client Client::to_v6_loopback(std::uint16_t port) { return {ToV6Loopback(), port}; }

Client::~Client() {
    if (socket_ >= 0) close(socket_);
}

Client::Client(Client&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}

void Client::wait_for(short events) {
    pollfd entry{socket_, events, 0};
    if (poll(&entry, 1, patience_ms) != 1) fail("waited in vain");
}

void Client::send(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
        if (n < 0) fail("send");
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::size_t Client::send_some(std::string_view text, std::chrono::milliseconds patience) {
    std::size_t sent = 0;
    while (sent < text.size()) {
        pollfd entry{socket_, POLLOUT, 0};
        if (poll(&entry, 1, static_cast<int>(patience.count())) != 1) break;
        const ssize_t n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0) break;
        sent += static_cast<std::size_t>(n);
    }
    return sent;
}

void Client::finish_sending() {
    if (shutdown(socket_, SHUT_WR) != 0) fail("shutdown");
}

bool Client::receive() {
    wait_for(POLLIN);
    std::array<char, 65536> bytes;
    const ssize_t n = recv(socket_, bytes.data(), bytes.size(), 0);
    if (n < 0 && errno != ECONNRESET) fail("recv");
    if (n <= 0) return false;
    buffer_.append(bytes.data(), static_cast<std::size_t>(n));
    return true;
}

ReceivedReply Client::read_reply(bool to_head) {
    while (buffer_.find("\r\n\r\n") == std::string::npos) {
        if (!receive()) throw std::runtime_error("the connection ended, with \"" + buffer_ + "\" left");
    }
    ReceivedReply reply;
    const std::size_t end_of_head = buffer_.find("\r\n\r\n") + 2;
    reply.head = buffer_.substr(0, end_of_head);
    reply.status = static_cast<unsigned>(std::stoul(reply.head.substr(9, 3)));
    buffer_.erase(0, end_of_head + 2);
    const std::size_t length = to_head ? 0 : std::stoul(reply.header("Content-Length").value_or("0"));
    while (buffer_.size() < length) {
        if (!receive()) throw std::runtime_error("the connection ended within a body");
    }
    reply.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return reply;
}

std::string Client::read_to_end() {
    while (receive()) continue;
    return std::exchange(buffer_, {});
}

bool Client::ends() { return buffer_.empty() && !receive(); }

std::string get(std::string_view target, std::string_view headers) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n";
}

std::string repeat(std::string_view text, std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += text;
    return all;
}

}  // namespace frond::http
