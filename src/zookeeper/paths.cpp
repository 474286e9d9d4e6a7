#include "zookeeper/paths.hpp"

#include "base/key.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace frond::zookeeper {
namespace {

constexpr std::string_view forbidden = "control characters, private use characters and characters beyond U+FFFF";

// The code point that begins at `at`, in text that is well-formed UTF-8; moves `at` behind it.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
    const auto first = static_cast<unsigned char>(text[at++]);
    if (first < 0x80) return first;
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    std::uint32_t point = first & (0x3Fu >> more);
    for (int i = 0; i < more; ++i) point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
    return point;
}

// What the server's PathUtils accepts. It looks at UTF-16, so that beyond U+FFFF it sees surrogates and refuses them.
bool is_allowed(std::uint32_t point) {
    if (point < 0x20 || (point >= 0x7F && point <= 0x9F)) return false;
    return point < 0xD800 || (point > 0xF8FF && point < 0xFFF0);
}

// What is wrong with one component of a path; empty when nothing is.
std::string fault_of(std::string_view component) {
    if (component.empty()) return "is empty";
    if (component == "." || component == "..") return "is '.' or '..'";
    if (!count_characters(component)) return "is not UTF-8";
    for (std::size_t at = 0; at < component.size();) {
        const std::uint32_t point = next_character(component, at);
        if (point == '/') return "holds '/'";
        if (!is_allowed(point)) return fmt::format("holds U+{:04X}", point);
    }
    return "";
}

std::string fault_of_root(std::string_view root) {
    if (root.empty() || root.front() != '/') return "is '" + std::string(root) + "', which does not begin with '/'";
    if (root == "/") return "";
    for (std::size_t from = 1; from <= root.size();) {
        const std::size_t to = std::min(root.find('/', from), root.size());
        if (std::string fault = fault_of(root.substr(from, to - from)); !fault.empty())
            return fmt::format("is '{}', which has a part that {}", root, fault);
        from = to + 1;
    }
    if (root == "/zookeeper" || root.starts_with("/zookeeper/"))
        return "is '" + std::string(root) + "', ZooKeeper's own";
    return "";
}

Error invalid(std::string_view key, std::string_view fault) {
    return {errc::invalid_configuration,
            fmt::format("{} {}; ZooKeeper's paths take no empty parts, no '.' and '..' alone, no {}", key, fault,
                        forbidden)};
}

}  // namespace

Result<Paths> Paths::make(std::string_view root, std::string_view name) {
    if (const auto fault = fault_of_root(root); !fault.empty()) return invalid("zookeeper.root", fault);
    if (const auto fault = fault_of(name); !fault.empty()) return invalid("snowflake.name", fault);
    if (root == "/" && name == "zookeeper") return invalid("snowflake.name", "below '/' is ZooKeeper's own");
    return Paths(fmt::format("{}/{}", root == "/" ? "" : root, name));
}

Paths::Paths(std::string base)
    : base_(std::move(base)), parent_(base_ + "/forever"), live_(base_ + "/live"), name_(base_ + "/frond") {}

std::string Paths::record(std::string_view node) const { return fmt::format("{}/{}", parent_, node); }

}  // namespace frond::zookeeper
