#include "zookeeper/node_name.hpp"

#include <algorithm>
#include <charconv>

namespace frond::zookeeper {
namespace {

constexpr std::string_view maker = "frond:";
constexpr std::size_t digits = 10;
constexpr std::size_t owner_size = 32;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Length of '-' and the digits at the end; 0 when the name does not end so.
std::size_t tail_size(std::string_view name) noexcept {
    if (name.size() < digits + 1) return 0;
    const std::string_view tail = name.substr(name.size() - digits - 1);
    if (tail.front() != '-' || !std::all_of(tail.begin() + 1, tail.end(), is_digit)) return 0;
    return tail.size();
}

std::optional<std::int64_t> number_of(std::string_view name) {
    const std::size_t tail = tail_size(name);
    // "--2147483647": the server's counter ran over.
    if (tail == 0 || (name.size() > tail && name[name.size() - tail - 1] == '-')) return std::nullopt;
    const std::string_view text = name.substr(name.size() - digits);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number > INT32_MAX) return std::nullopt;
    return number;
}

std::optional<std::string> owner_of(std::string_view name) {
    if (!name.starts_with(maker)) return std::nullopt;
    const std::string_view owner = name.substr(maker.size(), owner_size);
    if (!is_owner(owner)) return std::nullopt;
    const std::string_view rest = name.substr(maker.size() + owner_size);
    if (tail_size(rest) != rest.size()) return std::nullopt;
    return std::string(owner);
}

}  // namespace

NodeName parse_node_name(std::string_view name) {
    NodeName parsed{std::string(name), std::nullopt, number_of(name)};
    if (parsed.number) parsed.owner = owner_of(name);
    return parsed;
}

std::string node_prefix(std::string_view owner) {
    std::string prefix(maker);
    prefix += owner;
    prefix += '-';
    return prefix;
}

bool is_owner(std::string_view text) noexcept {
    return text.size() == owner_size &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

}  // namespace frond::zookeeper
