// What happened in a run: always as a hash, to compare two runs, and as text when somebody wants to read it.
#pragma once

#include "sim/event_queue.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frond::sim {

// Used by one thread.
class History {
public:
    static constexpr int world = -1;  // `who` of what no instance does

    enum class Text : std::uint8_t { none, kept, printed };

    explicit History(Text text) noexcept : text_(text) {}

    template <class... Args>
    void note(Time now, int who, fmt::format_string<const Args&...> text, const Args&... args) {
        mix(static_cast<std::uint64_t>(now));
        mix(static_cast<std::uint64_t>(who));
        (mix_value(args), ...);
        if (text_ == Text::none) return;
        const auto actor = who == world ? std::string("world") : fmt::format("i{}", who);
        add_line(fmt::format("{:>8} {:<6} {}", now, actor, fmt::format(text, args...)));
    }

    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    // One event each; empty when no text is kept.
    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

private:
    void mix(std::uint64_t value) noexcept { hash_ = (hash_ ^ value) * 0x100000001b3ULL; }
    void mix_value(std::integral auto value) noexcept { mix(static_cast<std::uint64_t>(value)); }
    void mix_value(std::string_view text) noexcept {
        for (const char c : text) mix(static_cast<unsigned char>(c));
    }

    void add_line(std::string line) {
        if (text_ == Text::printed) {
            fmt::print("{}\n", line);
        } else {
            lines_.push_back(std::move(line));
        }
    }

    const Text text_;
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
    std::vector<std::string> lines_;
};

}  // namespace frond::sim
