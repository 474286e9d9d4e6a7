#include "cli/probe.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace frond::cli {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "HTTP/1.1 200 OK" -> 200; nothing when the line is no status line.
std::optional<int> status_of(std::string_view line) {
    constexpr std::string_view shape = "HTTP/1.1 200";
    if (line.size() <= shape.size() || !line.starts_with("HTTP/1.") || !is_digit(line[7]) || line[8] != ' ') return {};
    if (!is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11])) return {};
    if (line[12] != ' ' && line[12] != '\r') return {};
    return (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
}

bool parse_port(std::string_view text, std::uint16_t& port) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port != 0;
}

// The exchange, step by step; asynchronous inside, so that no step can hang.
class Exchange {
public:
    explicit Exchange(const ProbeTarget& target)
        : authority_(target.authority),
          request_(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", target.target,
                               target.authority)) {
        for (const std::string& host : target.hosts) resolve(host, std::to_string(target.port));
    }

    Result<int> run(std::chrono::milliseconds patience) {
        if (!endpoints_.empty()) {
            connect();
            context_.run_for(patience);
        }
        if (status_) return *status_;
        return Error(errc::internal, failure_.empty() ? fmt::format("{}: no answer in time", authority_) : failure_);
    }

private:
    void resolve(const std::string& host, const std::string& port) {
        ErrorCode error;
        for (const auto& entry : tcp::resolver(context_).resolve(host, port, error)) {
            endpoints_.push_back(entry.endpoint());
        }
        if (error) failed("look up", error);
    }

    void connect() {
        failure_.clear();
        asio::async_connect(socket_, endpoints_, [this](ErrorCode error, const tcp::endpoint&) {
            if (!failed("connect to", error)) write();
        });
    }

    void write() {
        asio::async_write(socket_, asio::buffer(request_), [this](ErrorCode error, std::size_t) {
            if (!failed("write to", error)) read();
        });
    }

    void read() {
        constexpr std::size_t longest_line = 8 * 1024;
        asio::async_read_until(socket_, asio::dynamic_buffer(answer_, longest_line), '\n',
                               [this](ErrorCode error, std::size_t) {
                                   if (failed("read from", error)) return;
                                   status_ = status_of(answer_);
                                   if (!status_) failure_ = fmt::format("{} does not answer in HTTP", authority_);
                               });
    }

    bool failed(std::string_view what, ErrorCode error) {
        if (error) failure_ = fmt::format("cannot {} {}: {}", what, authority_, error.message());
        return static_cast<bool>(error);
    }

    const std::string authority_;
    const std::string request_;
    asio::io_context context_{1};
    tcp::socket socket_{context_};
    std::vector<tcp::endpoint> endpoints_;
    std::string answer_;
    std::optional<int> status_;
    std::string failure_;
};

}  // namespace

Result<ProbeTarget> parse_probe_url(std::string_view text) {
    const Error wrong(
        errc::bad_request,
        fmt::format("'{}' is no address to ask, expected something like http://127.0.0.1:8081/readyz", text));
    const auto url = boost::urls::parse_uri(text);
    if (!url || url->scheme() != "http" || url->has_userinfo() || url->encoded_host().empty()) return wrong;
    ProbeTarget target;
    if (url->has_port() && !parse_port(url->port(), target.port)) return wrong;
    target.hosts = {std::string(url->host_address())};
    target.authority = std::string(url->encoded_host_and_port());
    target.target = std::string(url->encoded_path());
    if (target.target.empty()) target.target = '/';
    if (url->has_query()) target.target.append(1, '?').append(url->encoded_query());
    return target;
}

Result<int> probe(const ProbeTarget& target, std::chrono::milliseconds patience) {
    return Exchange(target).run(patience);
}

}  // namespace frond::cli
