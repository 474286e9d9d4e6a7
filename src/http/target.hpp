// Pure functions on request targets: percent-decoding and query parameters. Thread-safe. Nothing is allocated unless
// something is escaped; then the decoded text goes into a scratch string of the caller's, whose memory can be kept.
#pragma once

#include <frond/result.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace frond::http {

// Decodes one part of a path: %XX becomes the byte XX, also %00 and %2F; whether such bytes make sense is for the
// caller to judge. The view is of `text` itself when nothing is escaped, else of `scratch`, and holds until either
// changes. errc::bad_request for a '%' without two hexadecimal digits.
[[nodiscard]] Result<std::string_view> decode_path_part(std::string_view text, std::string& scratch);

// The same for a name or value of a query, where '+' also stands for a space.
[[nodiscard]] Result<std::string_view> decode_query_part(std::string_view text, std::string& scratch);

// One parameter of a query, both sides as sent. `value` is empty when there is no '='.
struct QueryParameter {
    std::string_view name;
    std::string_view value;

    bool operator==(const QueryParameter&) const = default;
};

// Takes the first parameter off `query`; nothing when none is left. Empty parameters ("a=1&&b=2") are passed over.
[[nodiscard]] std::optional<QueryParameter> next_parameter(std::string_view& query);

// The decoded value of the parameter `name` (given decoded), or nothing when it is absent. The view holds as in
// decode_path_part(). errc::bad_request when it is there twice, or when its value or any name has a broken escape;
// the values of other parameters are not looked at.
[[nodiscard]] Result<std::optional<std::string_view>> find_parameter(std::string_view query, std::string_view name,
                                                                     std::string& scratch);

// What a request target refers to: path from its '/' up to '?', and query after that, both still encoded.
struct TargetParts {
    std::string_view path;
    std::string_view query;

    bool operator==(const TargetParts&) const = default;
};

// Takes origin-form ("/path?query") and absolute-form ("http://host/path?query", whose path may be missing and is "/"
// then) apart. Nothing for every other form ("*", "host:port"), for an empty host and for a target with a fragment.
[[nodiscard]] std::optional<TargetParts> split_target(std::string_view target);

}  // namespace frond::http
