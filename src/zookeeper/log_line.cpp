#include "zookeeper/log_line.hpp"

namespace frond::zookeeper {

LogLine parse_log_line(std::string_view line) noexcept {
    constexpr std::string_view mark = ":ZOO_";
    while (line.ends_with('\n')) line.remove_suffix(1);
    const std::size_t begin = line.find(mark);
    if (begin == std::string_view::npos) return {"", line};
    const std::string_view rest = line.substr(begin + mark.size());
    const std::size_t place = rest.find('@');
    const std::size_t message = rest.find(": ");
    if (place == std::string_view::npos || message == std::string_view::npos || message < place) return {"", line};
    return {rest.substr(0, place), rest.substr(message + 2)};
}

}  // namespace frond::zookeeper
