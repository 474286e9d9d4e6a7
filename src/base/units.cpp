#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace frond {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

// Largest first: format_duration takes the first that divides.
constexpr std::array<Unit, 5> duration_units{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr std::array<Unit, 5> size_units{{{"", 1}, {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}};

// A whole number and one of the units, scaled; nothing on any error, overflow included.
std::optional<std::int64_t> parse_scaled(std::string_view text, std::span<const Unit> units) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + digits, number);
    if (digits == 0 || parsed.ec != std::errc{}) return std::nullopt;
    const auto unit = std::ranges::find(units, text.substr(digits), &Unit::name);
    std::int64_t scaled = 0;
    if (unit == units.end() || __builtin_mul_overflow(number, unit->factor, &scaled)) return std::nullopt;
    return scaled;
}

// Reads a text from left to right; the first mismatch makes everything after it fail.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    // Exactly `width` digits, from 0 to `max`.
    int number(std::size_t width, int max) {
        int value = 0;
        if (rest_.size() < width) return fail();
        for (const char digit : rest_.substr(0, width)) {
            if (digit < '0' || digit > '9') return fail();
            value = value * 10 + (digit - '0');
        }
        rest_.remove_prefix(width);
        return value <= max ? value : fail();
    }

    bool take_any_of(std::string_view characters) {
        if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void expect(std::string_view characters) {
        if (!take_any_of(characters)) fail();
    }

    // Digits after the point as milliseconds; what is finer is cut off.
    int fraction_ms() {
        const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        if (digits == 0) return fail();
        int ms = 0;
        for (std::size_t i = 0; i < 3; ++i) ms = ms * 10 + (i < digits ? rest_[i] - '0' : 0);
        rest_.remove_prefix(digits);
        return ms;
    }

    [[nodiscard]] bool done() const { return rest_.empty() && !failed_; }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
    int fail() {
        failed_ = true;
        return 0;
    }

    std::string_view rest_;
    bool failed_ = false;
};

using Days = std::chrono::sys_days;
using std::chrono::milliseconds;

std::optional<Days> read_date(Reader& reader) {
    const int year = reader.number(4, 9999);
    reader.expect("-");
    const int month = reader.number(2, 12);
    reader.expect("-");
    const int day = reader.number(2, 31);
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    return Days(date);
}

// East of Greenwich is positive.
milliseconds read_offset(Reader& reader) {
    if (reader.take_any_of("Zz")) return {};
    const bool west = reader.take_any_of("-");
    if (!west) reader.expect("+");
    const std::chrono::hours hours(reader.number(2, 23));
    reader.expect(":");
    const std::chrono::minutes minutes(reader.number(2, 59));
    return west ? -(hours + minutes) : hours + minutes;
}

struct TimeOfDay {
    milliseconds since_midnight_utc;
    bool leap_second;
};

TimeOfDay read_time(Reader& reader) {
    reader.expect("Tt ");
    const std::chrono::hours hours(reader.number(2, 23));
    reader.expect(":");
    const std::chrono::minutes minutes(reader.number(2, 59));
    reader.expect(":");
    const int seconds = reader.number(2, 60);
    const int fraction = reader.take_any_of(".") ? reader.fraction_ms() : 0;
    const milliseconds offset = read_offset(reader);
    return {hours + minutes + std::chrono::seconds(seconds) + milliseconds(fraction) - offset, seconds == 60};
}

// Seconds are only ever put in before midnight UTC.
bool leap_second_possible(milliseconds since_midnight_utc) {
    constexpr milliseconds day = std::chrono::days(1);
    const milliseconds in_day = ((since_midnight_utc % day) + day) % day;
    return in_day < std::chrono::seconds(1);
}

}  // namespace

Result<milliseconds> parse_duration(std::string_view text) {
    if (const auto ms = parse_scaled(text, duration_units)) return milliseconds(*ms);
    return Error(errc::invalid_configuration,
                 fmt::format("'{}' is no duration: write a whole number and ms, s, m, h or d", text));
}

Result<std::int64_t> parse_size(std::string_view text) {
    if (const auto bytes = parse_scaled(text, size_units)) return *bytes;
    return Error(errc::invalid_configuration,
                 fmt::format("'{}' is no size: write a whole number, alone or with B, KiB, MiB or GiB", text));
}

std::string format_duration(milliseconds duration) {
    const std::int64_t ms = duration.count();
    if (ms == 0) return "0s";
    const auto unit = std::ranges::find_if(duration_units, [ms](const Unit& each) { return ms % each.factor == 0; });
    return fmt::format("{}{}", ms / unit->factor, unit->name);
}

std::string format_rfc3339(std::int64_t unix_ms) {
    using namespace std::chrono;
    constexpr std::int64_t first = sys_time<milliseconds>(sys_days(year(0) / 1 / 1)).time_since_epoch().count();
    constexpr std::int64_t end = sys_time<milliseconds>(sys_days(year(10000) / 1 / 1)).time_since_epoch().count();
    const sys_time<milliseconds> time{milliseconds(std::clamp(unix_ms, first, end - 1))};
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const hh_mm_ss clock{time - midnight};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

Result<std::int64_t> parse_rfc3339(std::string_view text) {
    const auto wrong = [text] {
        return Error(errc::bad_request,
                     fmt::format("'{}' is no time: write RFC 3339 such as 2019-09-06T01:35:00.834Z, or a date", text));
    };
    Reader reader(text);
    const auto date = read_date(reader);
    if (!date) return wrong();
    TimeOfDay time{};
    if (!reader.at_end()) time = read_time(reader);
    if (!reader.done() || (time.leap_second && !leap_second_possible(time.since_midnight_utc))) return wrong();
    return milliseconds(date->time_since_epoch()).count() + time.since_midnight_utc.count();
}

}  // namespace frond
