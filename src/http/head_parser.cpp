#include "http/head_parser.hpp"

#include "http/target.hpp"
#include "http/text.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>

namespace frond::http {

namespace {

namespace beast = boost::beast;

using beast::http::field;
using beast::http::verb;
using Code = beast::http::error;

Method to_method(verb method) {
    switch (method) {
        case verb::get:
            return Method::get;
        case verb::head:
            return Method::head;
        case verb::post:
            return Method::post;
        case verb::put:
            return Method::put;
        case verb::patch:
            return Method::patch;
        case verb::delete_:
            return Method::delete_;
        case verb::options:
            return Method::options;
        default:
            return Method::other;
    }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The request line names a version, well-formed, that is neither 1.0 nor 1.1.
bool names_other_version(std::string_view data) {
    const std::size_t target = data.find(' ') + 1;
    const std::size_t end_of_target = data.find(' ', target);
    const std::string_view version = data.substr(end_of_target + 1, 8);
    return version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
           is_digit(version[7]) && version != "HTTP/1.0" && version != "HTTP/1.1";
}

Refusal refusal_for(const beast::error_code& error, std::string_view data) {
    if (error == Code::header_limit) return {errc::headers_too_large, "the header block is too large"};
    if (error == Code::body_limit) return {errc::payload_too_large, "the body is too large"};
    if (error == Code::bad_version) {
        if (names_other_version(data)) return {errc::http_version, "the server speaks HTTP/1.1 and HTTP/1.0"};
        return {errc::bad_request, "malformed HTTP version"};
    }
    if (error == Code::bad_method) return {errc::bad_request, "malformed method"};
    if (error == Code::bad_target) return {errc::bad_request, "malformed request target"};
    if (error == Code::bad_content_length) return {errc::bad_request, "malformed Content-Length"};
    if (error == Code::multiple_content_length) return {errc::bad_request, "Content-Length is there twice"};
    if (error == Code::bad_transfer_encoding) return {errc::bad_request, "malformed Transfer-Encoding"};
    return {errc::bad_request, "malformed header field"};
}

// A host name or address with an optional port; empty is allowed (RFC 9112, 3.2).
bool is_host(std::string_view value) { return value.find_first_of(" \t,/?#@\\\"<>") == std::string_view::npos; }

// Beast's parser with our own checks on top. Lives for one attempt at one header block.
class HeadParser final : public beast::http::basic_parser<true> {
public:
    HeadParser(std::string_view data, const Limits& limits, RequestHead& head, Refusal& refusal)
        : data_(data), limits_(limits), head_(head), refusal_(refusal) {
        body_limit(limits.body_limit);
        // The caller bounds what is shown, so that Beast's own bound, which counts from where it last stopped,
        // never applies.
        header_limit(static_cast<std::uint32_t>(data.size()) + 1);
    }

    Progress run() {
        beast::error_code error;
        head_.size = put(boost::asio::const_buffer(data_.data(), data_.size()), error);
        if (error == Code::need_more) return Progress::need_more;
        if (error) {
            if (!refused_) refusal_ = refusal_for(error, data_);
            return Progress::refused;
        }
        finish();
        return refused_ ? Progress::refused : Progress::complete;
    }

    [[nodiscard]] bool has_request_line() const noexcept { return has_request_line_; }

private:
    using View = beast::string_view;
    using ErrorCode = beast::error_code;
    using OptionalLength = boost::optional<std::uint64_t>;

    void on_request_impl(verb method, View, View target, int version, ErrorCode& error) override {
        has_request_line_ = true;
        head_.method = to_method(method);
        head_.http_1_0 = version == 10;
        head_.target = span_of(target);
        if (target.size() > limits_.target_limit) {
            return refuse(errc::uri_too_long, "the request target is too long", error);
        }
        const auto parts = split_target(target);
        if (!parts) return refuse(errc::bad_request, "the request target must be a path", error);
        head_.path = span_of(parts->path);
        head_.query = parts->query.empty() ? Span() : span_of(parts->query);
    }

    void on_field_impl(field name, View name_text, View value, ErrorCode& error) override {
        if (is_folded(name_text, value)) return refuse(errc::bad_request, "a header field must be one line", error);
        switch (name) {
            case field::host:
                return take_host(value, error);
            case field::authorization:
                return take_authorization(value, error);
            case field::content_type:
                head_.content_type = span_of(value);
                return;
            case field::accept:
                head_.accept = span_of(value);
                return;
            case field::expect:
                return take_expect(value, error);
            case field::transfer_encoding:
                return take_transfer_encoding(value, error);
            default:
                return;
        }
    }

    void take_host(std::string_view value, ErrorCode& error) {
        if (has_host_) return refuse(errc::bad_request, "Host is there twice", error);
        if (!is_host(value)) return refuse(errc::bad_request, "malformed Host", error);
        has_host_ = true;
    }

    void take_authorization(std::string_view value, ErrorCode& error) {
        if (has_authorization_) return refuse(errc::bad_request, "Authorization is there twice", error);
        has_authorization_ = true;
        head_.authorization = span_of(value);
    }

    void take_expect(std::string_view value, ErrorCode& error) {
        if (!equals_ignoring_case(value, "100-continue")) {
            return refuse(errc::expectation_failed, "the only expectation that can be met is 100-continue", error);
        }
        head_.expects_continue = !head_.http_1_0;
    }

    // One coding, and it is chunked: whatever else there is, a proxy in front may frame it differently.
    void take_transfer_encoding(std::string_view value, ErrorCode& error) {
        if (head_.http_1_0) return refuse(errc::bad_request, "HTTP/1.0 has no Transfer-Encoding", error);
        if (value.empty()) return refuse(errc::bad_request, "malformed Transfer-Encoding", error);
        if (!equals_ignoring_case(value, "chunked")) {
            return refuse(errc::not_implemented, "the only transfer coding is chunked", error);
        }
        head_.chunked = true;
    }

    void finish() {
        ErrorCode ignored;
        if (!has_host_ && !head_.http_1_0) return refuse(errc::bad_request, "Host is missing", ignored);
        head_.keep_alive = keep_alive();
        head_.content_length = content_length().value_or(0);
    }

    // Everything that concerns the body is done by RequestReader.
    void on_header_impl(ErrorCode&) override {}
    void on_response_impl(int, View, int, ErrorCode&) override {}
    void on_body_init_impl(const OptionalLength&, ErrorCode&) override {}
    std::size_t on_body_impl(View, ErrorCode&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, View, ErrorCode&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View, ErrorCode&) override { return 0; }
    void on_finish_impl(ErrorCode&) override {}

    void refuse(errc code, std::string_view detail, ErrorCode& error) {
        refused_ = true;
        refusal_ = {code, detail};
        error = Code::bad_value;
    }

    // Beast unfolds lines into a buffer of its own, which is gone after the call, or passes over empty ones.
    [[nodiscard]] bool is_folded(std::string_view name, std::string_view value) const {
        if (!lies_in_data(value)) return true;
        const char* end_of_name = name.data() + name.size();
        return std::find(end_of_name, value.data(), '\n') != value.data();
    }

    [[nodiscard]] bool lies_in_data(std::string_view text) const {
        return std::less_equal<>()(data_.data(), text.data()) &&
               std::less_equal<>()(text.data() + text.size(), data_.data() + data_.size());
    }

    [[nodiscard]] Span span_of(std::string_view text) const {
        // split_target() may answer with a literal: a lone "/", to be found at the end of the request's "http://".
        if (!lies_in_data(text)) return {static_cast<std::uint32_t>(data_.find('/')), 1};
        return {static_cast<std::uint32_t>(text.data() - data_.data()), static_cast<std::uint32_t>(text.size())};
    }

    const std::string_view data_;
    const Limits& limits_;
    RequestHead& head_;
    Refusal& refusal_;
    bool refused_ = false;
    bool has_request_line_ = false;
    bool has_host_ = false;
    bool has_authorization_ = false;
};

}  // namespace

Progress read_head(std::string_view data, const Limits& limits, RequestHead& head, Refusal& refusal) {
    head = RequestHead();
    const std::string_view visible = data.substr(0, limits.header_limit);
    HeadParser parser(visible, limits, head, refusal);
    const Progress progress = parser.run();
    if (progress != Progress::need_more || data.size() < limits.header_limit) return progress;
    refusal = parser.has_request_line() ? Refusal{errc::headers_too_large, "the header block is too large"}
                                        : Refusal{errc::uri_too_long, "the request line is too long"};
    return Progress::refused;
}

}  // namespace frond::http
