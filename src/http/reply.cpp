#include "http/status.hpp"
#include "http/types.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace frond::http {

namespace {

// A reply small enough to be put together on the stack, so that the output buffer grows once.
class SmallText {
public:
    static constexpr std::size_t capacity = 512;

    void add(std::string_view text) noexcept {
        size_ = static_cast<std::size_t>(std::copy(text.begin(), text.end(), bytes_.data() + size_) - bytes_.data());
    }
    void add(std::size_t number) noexcept {
        size_ = static_cast<std::size_t>(std::to_chars(bytes_.data() + size_, bytes_.data() + capacity, number).ptr -
                                         bytes_.data());
    }
    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

private:
    std::array<char, capacity> bytes_;
    std::size_t size_ = 0;
};

constexpr std::string_view ok_line = "HTTP/1.1 200 OK\r\n";
constexpr std::string_view id_headers = "Content-Type: text/plain\r\nCache-Control: no-store\r\nContent-Length: ";
constexpr std::string_view keep_alive_header = "Connection: keep-alive\r\n";
constexpr std::string_view close_header = "Connection: close\r\n";

// HTTP/1.1 stays open unless told, HTTP/1.0 closes unless told.
std::string_view connection_header(const Reply& reply) {
    if (!reply.keep_alive) return close_header;
    return reply.http_1_0 ? keep_alive_header : std::string_view();
}

void append_number(std::string& out, std::size_t number) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

bool never_has_body(unsigned status) { return status < 200 || status == 204 || status == 304; }

}  // namespace

void Reply::send_id(std::string_view digits) {
    constexpr std::size_t longest_id = 64;
    if (head || digits.size() > longest_id || date.size() > longest_id) {
        return send(200, "text/plain", digits, "Cache-Control: no-store\r\n");
    }
    status = 200;
    SmallText text;
    text.add(ok_line);
    text.add(date);
    text.add(connection_header(*this));
    text.add(id_headers);
    text.add(digits.size());
    text.add("\r\n\r\n");
    text.add(digits);
    out->append(text.view());
}

void Reply::send(unsigned status_code, std::string_view content_type, std::string_view body,
                 std::string_view extra_headers) {
    status = status_code;
    out->append("HTTP/1.1 ");
    append_number(*out, status_code);
    out->append(" ").append(reason_phrase(status_code)).append("\r\n");
    out->append(date).append(connection_header(*this));
    if (!content_type.empty()) out->append("Content-Type: ").append(content_type).append("\r\n");
    out->append(extra_headers);
    if (!never_has_body(status_code)) {
        out->append("Content-Length: ");
        append_number(*out, body.size());
        out->append("\r\n");
    }
    out->append("\r\n");
    if (!head && !never_has_body(status_code)) out->append(body);
}

}  // namespace frond::http
