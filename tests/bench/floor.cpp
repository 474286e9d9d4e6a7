// The floor under any HTTP server on this machine: a bare epoll loop that looks for the blank line, parses nothing, and
// answers each request with the same 200, as long as Frond's answer to a single-ID request. One thread, HTTP/1.1,
// keep-alive, pipelining. scripts/bench runs it beside the server and compares CPU time per request.
//
//   bench_floor PORT [DIGITS]
//
// PORT on 127.0.0.1; DIGITS is the length of the body, 1 to 20 (default 19). Runs until SIGTERM or SIGINT, then prints
// requests, user and system CPU time in ns, as `key=value` on one line.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

[[noreturn]] void fail(const char* what) {
    std::perror(what);
    std::exit(1);
}

// As Reply::send_id() writes it.
std::string make_reply(std::size_t digits) {
    return "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
           "Cache-Control: no-store\r\nContent-Length: " +
           std::to_string(digits) + "\r\n\r\n" + std::string(digits, '7');
}

// How many blank lines have ended in the bytes so far; the state goes on from one read to the next.
class BlankLines {
public:
    std::size_t count(std::string_view bytes) {
        std::size_t found = 0;
        if (matched_ == 0) {
            // The usual case: requests begin and end with the read.
            std::size_t end = 0;
            for (std::size_t at = bytes.find(blank); at != std::string_view::npos; at = bytes.find(blank, end)) {
                end = at + blank.size();
                ++found;
            }
            bytes.remove_prefix(end);
            if (bytes.size() > blank.size()) bytes.remove_prefix(bytes.size() - blank.size());
        }
        for (const char c : bytes) found += take(c);
        return found;
    }

private:
    static constexpr std::string_view blank = "\r\n\r\n";

    std::size_t take(char c) {
        matched_ = c == blank[matched_] ? matched_ + 1 : (c == '\r' ? 1 : 0);
        if (matched_ < blank.size()) return 0;
        matched_ = 0;
        return 1;
    }

    std::size_t matched_ = 0;
};

class Floor {
public:
    Floor(std::uint16_t port, std::size_t digits) : reply_(make_reply(digits)) {
        open_listener(port);
        open_signals();
        watch(listener_);
        watch(signals_);
    }

    void run() {
        std::array<epoll_event, 128> events;
        for (;;) {
            const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < n; ++i) {
                const int fd = events[static_cast<std::size_t>(i)].data.fd;
                if (fd == signals_) return;
                if (fd == listener_) {
                    accept_one();
                } else {
                    serve(fd);
                }
            }
        }
    }

    [[nodiscard]] std::uint64_t requests() const { return requests_; }

private:
    void open_listener(std::uint16_t port) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        const int on = 1;
        setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("bind");
        if (listen(listener_, SOMAXCONN) != 0) fail("listen");
    }

    void open_signals() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        sigprocmask(SIG_BLOCK, &set, nullptr);
        signals_ = signalfd(-1, &set, 0);
    }

    void watch(int fd) const {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
    }

    void accept_one() {
        const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
        if (fd < 0) return;
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        clients_[fd] = BlankLines();
        watch(fd);
    }

    // One read, one write. A client that does not take its replies is dropped: this is a yardstick, not a server.
    void serve(int fd) {
        const ssize_t n = read(fd, input_.data(), input_.size());
        if (n <= 0) return drop(fd);
        const std::size_t count = clients_[fd].count({input_.data(), static_cast<std::size_t>(n)});
        if (count == 0) return;
        requests_ += count;
        output_.clear();
        for (std::size_t i = 0; i < count; ++i) output_ += reply_;
        if (write(fd, output_.data(), output_.size()) != static_cast<ssize_t>(output_.size())) drop(fd);
    }

    void drop(int fd) {
        clients_.erase(fd);
        close(fd);
    }

    const int epoll_ = epoll_create1(0);
    int listener_ = -1;
    int signals_ = -1;
    const std::string reply_;
    std::string output_;
    std::array<char, 16 * 1024> input_;
    std::unordered_map<int, BlankLines> clients_;
    std::uint64_t requests_ = 0;
};

std::int64_t nanoseconds(const timeval& time) {
    return (static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec) * 1000;
}

}  // namespace

int main(int argc, char** argv) {
    const int port = argc > 1 ? std::atoi(argv[1]) : 0;
    const int digits = argc > 2 ? std::atoi(argv[2]) : 19;
    if (argc > 3 || port < 1 || port > 65535 || digits < 1 || digits > 20) {
        std::fprintf(stderr, "usage: bench_floor PORT [DIGITS]\n");
        return 64;
    }
    const auto floor = std::make_unique<Floor>(static_cast<std::uint16_t>(port), static_cast<std::size_t>(digits));
    floor->run();
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf("requests=%llu user_ns=%lld system_ns=%lld\n", static_cast<unsigned long long>(floor->requests()),
                static_cast<long long>(nanoseconds(used.ru_utime)), static_cast<long long>(nanoseconds(used.ru_stime)));
    return 0;
}
