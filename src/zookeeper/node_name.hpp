// Names of the nodes that hold records. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frond::zookeeper {

// A child of the parent of records, taken apart: what stands before the number, and the number that the server put
// behind it.
struct NodeName {
    std::string text;                    // the whole name
    std::optional<std::string> owner;    // 32 hex digits: Frond made this node, for that owner. Else somebody else did
    std::optional<std::int64_t> number;  // none: the name does not end in '-' and ten decimal digits

    bool operator==(const NodeName&) const = default;
};

// Never fails: a name that nobody knows has neither owner nor number. A number that overflowed (the server then writes
// a '-' before the digits) is none.
[[nodiscard]] NodeName parse_node_name(std::string_view name);

// "frond:<owner>-", to which the server adds the number. No other '-' is in it: Leaf takes what stands behind the first
// one for the number. It has no form that an address and port could have.
[[nodiscard]] std::string node_prefix(std::string_view owner);

// Whether the text is an owner as records have it: 32 lower-case hex digits.
[[nodiscard]] bool is_owner(std::string_view text) noexcept;

}  // namespace frond::zookeeper
