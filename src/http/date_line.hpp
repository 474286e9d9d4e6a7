// The Date header, made once a second. Not thread-safe: each I/O thread has its own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace frond::http {

class DateLine {
public:
    // Brings the line up to the second of `unix_seconds` (1970 to 9999); cheap when it has not changed.
    void update(std::int64_t unix_seconds) noexcept;

    // "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n". Empty before the first update().
    [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    static constexpr std::size_t length = 37;

    std::int64_t second_ = -1;
    std::size_t size_ = 0;
    std::array<char, length + 1> text_{};
};

}  // namespace frond::http
