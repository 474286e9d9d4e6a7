#include "http/date_line.hpp"

#include <fmt/format.h>
#include <chrono>

namespace frond::http {

namespace {

constexpr std::array<std::string_view, 7> weekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

void DateLine::update(std::int64_t unix_seconds) noexcept {
    if (unix_seconds == second_) return;
    second_ = unix_seconds;
    // By the calendar of <chrono> and English names: strftime would follow the locale.
    const std::chrono::sys_seconds time{std::chrono::seconds(unix_seconds)};
    const auto midnight = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day day(midnight);
    const std::chrono::hh_mm_ss clock(time - midnight);
    const auto end =
        fmt::format_to_n(text_.data(), length, "Date: {}, {:02} {} {:04} {:02}:{:02}:{:02} GMT\r\n",
                         weekdays[std::chrono::weekday(midnight).c_encoding()], static_cast<unsigned>(day.day()),
                         months[static_cast<unsigned>(day.month()) - 1], static_cast<int>(day.year()),
                         clock.hours().count(), clock.minutes().count(), clock.seconds().count());
    size_ = static_cast<std::size_t>(end.out - text_.data());
}

}  // namespace frond::http
