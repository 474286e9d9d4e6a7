// A blocking client over a loopback socket that sends bytes as they are and reads replies, with a deadline on every
// wait. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frond::http {

struct ReceivedReply {
    unsigned status = 0;
    std::string head;  // status line and header block
    std::string body;

    // The value of a header, or nothing.
    [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

class Client {
public:
    // Connects to 127.0.0.1:port, or to the address family and address given. receive_buffer: bytes of SO_RCVBUF, 0 for
    // the system's choice. Throws std::runtime_error when it cannot, as everything here does when a wait takes too
    // long.
    explicit Client(std::uint16_t port, int receive_buffer = 0);
    static Client to_v6_loopback(std::uint16_t port);
    ~Client();
    Client(Client&& other) noexcept;
    Client& operator=(Client&&) = delete;

    void send(std::string_view text);
    // As much of `text` as the server takes within `patience`; returns how much that was.
    std::size_t send_some(std::string_view text, std::chrono::milliseconds patience);
    // Says that no more will come; replies can still be read.
    void finish_sending();

    // The next reply; `to_head` when it answers a HEAD request. Throws when the connection ends before it does.
    ReceivedReply read_reply(bool to_head = false);
    // Everything up to the end of the connection.
    std::string read_to_end();
    // Whether the connection ends, with nothing more coming before.
    bool ends();

private:
    struct ToV6Loopback {};
    Client(ToV6Loopback, std::uint16_t port);

    bool receive();  // false: the connection has ended
    void wait_for(short events);

    int socket_ = -1;
    std::string buffer_;
};

// "GET target HTTP/1.1" with a Host and the given header lines.
std::string get(std::string_view target, std::string_view headers = {});

// `text`, n times. (Spelled out, `"…" + std::string(n, c)` makes g++ 12 warn of overflows that are none: GCC 105651.)
std::string repeat(std::string_view text, std::size_t n);

}  // namespace frond::http
