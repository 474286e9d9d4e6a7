// An open-loop HTTP load generator: requests are due at evenly spaced times whatever the server does, and latency
// counts from the time when a request was due, not from when it could be sent. A server that stalls for a second so
// shows up in the percentiles, which it does not with generators that wait for replies (coordinated omission).
//
//   bench_open_loop PORT TARGET RATE SECONDS CONNECTIONS
//
// One thread that polls without sleeping: give it a core of its own. Prints `key=value` pairs on one line: requests
// due, completed with 200 and failed, and p50, p99, p99.9 and maximum latency in µs.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

struct Plan {
    std::uint16_t port = 0;
    std::string request;
    double rate = 0;  // requests per second
    double seconds = 0;
    std::size_t connections = 0;
};

[[noreturn]] void fail(const char* what) {
    std::perror(what);
    std::exit(1);
}

int connect_to(std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

// The length of the first complete reply in `bytes`, 0 while it is not complete.
std::size_t reply_length(std::string_view bytes) {
    const std::size_t blank = bytes.find("\r\n\r\n");
    if (blank == std::string_view::npos) return 0;
    constexpr std::string_view name = "Content-Length: ";
    const std::size_t field = bytes.substr(0, blank).find(name);
    std::size_t body = 0;
    if (field != std::string_view::npos) {
        std::from_chars(bytes.data() + field + name.size(), bytes.data() + blank, body);
    }
    const std::size_t length = blank + 4 + body;
    return bytes.size() < length ? 0 : length;
}

struct Connection {
    int fd = -1;
    std::deque<Clock::time_point> due;  // of the request on its way, and of those that wait for it
    bool busy = false;
    std::string input;
};

class Generator {
public:
    explicit Generator(Plan plan) : plan_(std::move(plan)), connections_(plan_.connections) {
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            connections_[i].fd = connect_to(plan_.port);
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = i;
            if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].fd, &event) != 0) fail("epoll_ctl");
        }
        latencies_.reserve(static_cast<std::size_t>(plan_.rate * plan_.seconds) + 1);
    }

    void run() {
        const auto total = static_cast<std::uint64_t>(plan_.rate * plan_.seconds);
        const nanoseconds gap(static_cast<std::int64_t>(1e9 / plan_.rate));
        const auto begin = Clock::now();
        const auto give_up = begin + gap * static_cast<std::int64_t>(total) + std::chrono::seconds(5);
        while (latencies_.size() + failed_ < total && Clock::now() < give_up) {
            const auto now = Clock::now();
            for (auto due = begin + gap * static_cast<std::int64_t>(sent_); sent_ < total && due <= now; due += gap) {
                begin_request(connections_[sent_ % connections_.size()], due);
                ++sent_;
            }
            receive();
        }
        failed_ = total - latencies_.size();
    }

    void print() {
        std::sort(latencies_.begin(), latencies_.end());
        std::printf("due=%llu completed=%zu failed=%llu p50_us=%.1f p99_us=%.1f p999_us=%.1f max_us=%.1f\n",
                    static_cast<unsigned long long>(sent_), latencies_.size(), static_cast<unsigned long long>(failed_),
                    quantile(0.5), quantile(0.99), quantile(0.999), quantile(1));
    }

private:
    void begin_request(Connection& connection, Clock::time_point due) {
        connection.due.push_back(due);
        if (!connection.busy) send_next(connection);
    }

    void send_next(Connection& connection) {
        connection.busy = true;
        const auto size = static_cast<ssize_t>(plan_.request.size());
        if (write(connection.fd, plan_.request.data(), plan_.request.size()) != size) fail("write");
    }

    void receive() {
        std::array<epoll_event, 128> events;
        const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
        for (int i = 0; i < n; ++i) read_from(connections_[events[static_cast<std::size_t>(i)].data.u64]);
    }

    void read_from(Connection& connection) {
        std::array<char, 16 * 1024> buffer;
        const ssize_t n = read(connection.fd, buffer.data(), buffer.size());
        if (n <= 0) fail("the server closed a connection");
        connection.input.append(buffer.data(), static_cast<std::size_t>(n));
        const std::size_t length = reply_length(connection.input);
        if (length == 0) return;
        if (connection.input.starts_with("HTTP/1.1 200 ")) {
            latencies_.push_back(Clock::now() - connection.due.front());
        } else {
            ++failed_;
        }
        connection.input.erase(0, length);
        connection.due.pop_front();
        connection.busy = false;
        if (!connection.due.empty()) send_next(connection);
    }

    [[nodiscard]] double quantile(double q) const {
        if (latencies_.empty()) return 0;
        const auto last = static_cast<double>(latencies_.size() - 1);
        return static_cast<double>(latencies_[static_cast<std::size_t>(q * last)].count()) / 1000;
    }

    const Plan plan_;
    const int epoll_ = epoll_create1(0);
    std::vector<Connection> connections_;
    std::vector<nanoseconds> latencies_;
    std::uint64_t sent_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: bench_open_loop PORT TARGET RATE SECONDS CONNECTIONS\n");
        return 64;
    }
    Plan plan;
    plan.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
    plan.request = std::string("GET ") + argv[2] + " HTTP/1.1\r\nHost: bench\r\n\r\n";
    plan.rate = std::atof(argv[3]);
    plan.seconds = std::atof(argv[4]);
    plan.connections = static_cast<std::size_t>(std::atoi(argv[5]));
    if (plan.port == 0 || plan.rate <= 0 || plan.seconds <= 0 || plan.connections == 0) return 64;
    Generator generator(std::move(plan));
    generator.run();
    generator.print();
    return 0;
}
