#include "cli/key_text.hpp"

#include "base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace frond::cli {

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

std::string key_text(const segment::KeyRecord& record) {
    return fmt::format(
        "key          {}\nmax_id       {}\nstep         {}\ndelta        {}\nremainder    {}\nmax_step     {}\n"
        "description  {}\nupdate_time  {}\ndisabled     {}\n",
        printable(record.key), record.max_id, record.step, record.delta, record.remainder, record.max_step,
        printable(record.description), record.update_time, record.disabled ? "yes" : "no");
}

std::string key_table(const std::vector<segment::KeyRecord>& records) {
    if (records.empty()) return "no keys\n";
    std::size_t width = 3;
    for (const auto& record : records) width = std::max(width, printable(record.key).size());
    std::string text = fmt::format("{:<{}}  {:>19}  {:>10}  {:>5}  {:>9}  {}\n", "key", width, "max_id", "step",
                                   "delta", "remainder", "description");
    for (const auto& record : records) {
        fmt::format_to(std::back_inserter(text), "{:<{}}  {:>19}  {:>10}  {:>5}  {:>9}  {}{}\n", printable(record.key),
                       width, record.max_id, record.step, record.delta, record.remainder, printable(record.description),
                       record.disabled ? " (disabled)" : "");
    }
    return text;
}

std::string key_json(const segment::KeyRecord& record) {
    std::string text = "{\"key\":";
    append_json_string(text, record.key);
    fmt::format_to(std::back_inserter(text),
                   R"(,"max_id":"{}","step":{},"delta":{},"remainder":{},"max_step":{},"description":)", record.max_id,
                   record.step, record.delta, record.remainder, record.max_step);
    append_json_string(text, record.description);
    text += ",\"update_time\":";
    append_json_string(text, record.update_time);
    fmt::format_to(std::back_inserter(text), R"(,"disabled":{}}})", record.disabled);
    return text;
}

std::string key_list_json(const std::vector<segment::KeyRecord>& records, std::string_view next) {
    std::string text = "{\"keys\":[";
    for (const auto& record : records) {
        if (&record != &records.front()) text += ',';
        text += key_json(record);
    }
    text += ']';
    if (!next.empty()) {
        text += ",\"next\":";
        append_json_string(text, next);
    }
    return text + "}";
}

}  // namespace frond::cli
