#include "support/zookeeper_wire.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>

namespace frond::test {
namespace {

void append(std::string& out, std::int64_t number, int bytes) {
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

std::string framed(const std::string& body) {
    std::string frame;
    append(frame, static_cast<std::int64_t>(body.size()), 4);
    return frame + body;
}

// java.util.Random(seed).nextBytes(16)
std::string java_random_bytes(std::int64_t seed) {
    constexpr std::uint64_t multiplier = 0x5DEECE66D;
    constexpr std::uint64_t mask = (std::uint64_t{1} << 48) - 1;
    std::uint64_t state = (static_cast<std::uint64_t>(seed) ^ multiplier) & mask;
    std::string bytes;
    while (bytes.size() < 16) {
        state = (state * multiplier + 0xB) & mask;
        const auto word = static_cast<std::uint32_t>(state >> 16);
        for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift);
    }
    return bytes;
}

std::string password_of(std::int64_t session) {
    constexpr std::int64_t super_secret = 0xB3415C00;
    return java_random_bytes(session ^ super_secret);
}

class Socket {
public:
    Socket() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() { close(fd_); }

    [[nodiscard]] bool connect(std::uint16_t port) const {
        const timeval patience{1, 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }

    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
};

}  // namespace

std::string exchange(std::uint16_t port, const std::string& bytes) {
    const Socket socket;
    if (!socket.connect(port)) return "";
    if (send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) return "";
    std::string answer;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t got = recv(socket.fd(), buffer.data(), buffer.size(), 0);
        if (got <= 0) return answer;
        answer.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

std::string closing_words(std::int64_t session) {
    constexpr std::int32_t close_session = -11;
    std::string connect;
    append(connect, 0, 4);        // protocol version
    append(connect, 0, 8);        // last zxid seen
    append(connect, 10'000, 4);   // session time-out
    append(connect, session, 8);  //
    append(connect, 16, 4);       // length of the password
    connect += password_of(session);
    connect += '\0';  // not read-only
    std::string close;
    append(close, 1, 4);
    append(close, close_session, 4);
    return framed(connect) + framed(close);
}

}  // namespace frond::test
