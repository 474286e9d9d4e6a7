#include "cli/worker_text.hpp"

#include "base/units.hpp"
#include "cli/key_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

namespace frond::cli {
namespace {

using worker::LeaseRecord;
using worker::LeaseState;
using worker::RecordView;
using worker::Survey;

constexpr const char* no_value = "-";

// The owner's clock against the registry's, at the last write.
std::optional<std::int64_t> clock_offset(const RecordView& view) {
    if (!view.record || view.modified_ms == 0) return std::nullopt;
    return view.record->timestamp - view.modified_ms;
}

std::string offset_text(const RecordView& view) {
    const auto offset = clock_offset(view);
    return offset ? fmt::format("{:+} ms", *offset) : no_value;
}

std::string address_text(const LeaseRecord& record) {
    return printable(record.ip.empty() ? ":" + record.port : record.ip + ":" + record.port);
}

std::string text_or_dash(std::string_view text) { return text.empty() ? no_value : printable(text); }

// What else there is to say about a record.
std::string note_of(const RecordView& view, const worker::LeaseSpace& space) {
    std::vector<std::string> notes;
    if (!space.holds(view.number)) notes.emplace_back("outside of this name's share");
    if (!view.problem.empty()) notes.push_back(printable(view.problem));
    if (!view.record) notes.push_back(printable(view.place));
    return fmt::format("{}", fmt::join(notes, "; "));
}

using Row = std::vector<std::string>;

Row row_of(const RecordView& view, const WorkerListing& listing) {
    constexpr std::size_t shown_of_owner = 8;  // enough to tell one from another; `show` has all
    const worker::LeaseSpace& space = listing.survey.name.space;
    Row row{std::to_string(space.worker_id(view.number)), std::string(state_word(view))};
    if (view.record) {
        const LeaseRecord& record = *view.record;
        row.insert(row.end(), {printable(record.owner.substr(0, shown_of_owner)), text_or_dash(record.identity),
                               address_text(record), time_text(record.fence, listing.now_ms),
                               time_text(record.timestamp, listing.now_ms), offset_text(view)});
    } else {
        row.insert(row.end(), 6, no_value);
    }
    row.push_back(std::to_string(view.version));
    row.push_back(note_of(view, space));
    return row;
}

// Columns as wide as their widest cell; counted in bytes, which is right for all but odd identities.
std::string table_of(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string next_text(const Survey& survey) {
    const std::int64_t next = std::max(survey.next_number, survey.first_number);
    if (!survey.name.space.holds(next)) return "none left; records that are free are taken over";
    return fmt::format("{}", survey.name.space.worker_id(next));
}

// Numbers below the first count as used up, and tell nothing about the share.
std::string head_of(const WorkerListing& listing) {
    const Survey& survey = listing.survey;
    const std::int64_t floor = survey.name.floor;
    std::vector<std::string> present;
    for (const std::string& identity : survey.present) present.push_back(printable(identity));
    std::ranges::sort(present);
    return fmt::format(
        "name      {}\nregistry  {}\nid        {}\nlayout    {}\nfloor     {}\nnext      {}\nnow       {} ({})\n"
        "present   {}\n",
        printable(listing.name), printable(listing.registry), printable(survey.name.id),
        worker::describe(survey.name.space), floor == INT64_MIN ? "none" : time_text(floor, listing.now_ms),
        next_text(survey), format_rfc3339(listing.now_ms),
        survey.clock ? "the registry's clock" : "this machine's clock",
        present.empty() ? no_value : fmt::format("{}", fmt::join(present, ", ")));
}

}  // namespace

std::string distance(std::int64_t time_ms, std::int64_t now_ms) {
    struct Unit {
        std::uint64_t seconds;
        char letter;
    };
    constexpr std::array<Unit, 4> units{{{86'400, 'd'}, {3'600, 'h'}, {60, 'm'}, {1, 's'}}};
    const bool past = time_ms < now_ms;
    // Unsigned, as the difference of two far ends would overflow.
    const auto time = static_cast<std::uint64_t>(time_ms);
    const auto now = static_cast<std::uint64_t>(now_ms);
    std::uint64_t left = (past ? now - time : time - now) / 1000;
    std::string text(1, past && left > 0 ? '-' : '+');
    const auto largest = std::ranges::find_if(units, [left](const Unit& unit) { return left >= unit.seconds; });
    if (largest == units.end()) return text + "0s";
    for (auto unit = largest; unit != units.end() && unit - largest < 2; ++unit) {
        if (const std::uint64_t count = left / unit->seconds; count > 0)
            text += fmt::format("{}{}", count, unit->letter);
        left %= unit->seconds;
    }
    return text;
}

std::string time_text(std::int64_t time_ms, std::int64_t now_ms) {
    return fmt::format("{} ({})", format_rfc3339(time_ms), distance(time_ms, now_ms));
}

std::string_view state_word(const RecordView& view) {
    if (!view.record) return view.problem.empty() ? "leaf" : "unreadable";
    return view.record->state == LeaseState::held ? "held" : "released";
}

std::int64_t highest_fence(const Survey& survey) {
    std::int64_t highest = INT64_MIN;
    for (const RecordView& view : survey.records) {
        if (view.record) highest = std::max(highest, view.record->fence);
    }
    return highest;
}

std::string worker_table(const WorkerListing& listing) {
    std::string text = head_of(listing) + '\n';
    if (listing.survey.records.empty()) return text + "no worker ID was leased yet\n";
    std::vector<RecordView> records = listing.survey.records;
    std::ranges::sort(records, {}, &RecordView::number);
    std::vector<Row> rows{
        {"worker ID", "state", "owner", "identity", "address", "fence", "timestamp", "offset", "version", "note"}};
    for (const RecordView& view : records) rows.push_back(row_of(view, listing));
    return text + table_of(rows);
}

std::string worker_text(const RecordView& view, const WorkerListing& listing) {
    const worker::LeaseSpace& space = listing.survey.name.space;
    std::string text = fmt::format("worker ID  {}\nstate      {}\n", space.worker_id(view.number), state_word(view));
    if (view.record) {
        const LeaseRecord& record = *view.record;
        fmt::format_to(std::back_inserter(text),
                       "owner      {}\nwrite      {}\nidentity   {}\naddress    {}\nfence      {}\ntimestamp  {}\n"
                       "offset     {}\nlayout     {}\n",
                       printable(record.owner), printable(record.write), text_or_dash(record.identity),
                       address_text(record), time_text(record.fence, listing.now_ms),
                       time_text(record.timestamp, listing.now_ms), offset_text(view), worker::describe(record.space));
    }
    const std::string modified = view.modified_ms == 0 ? no_value : time_text(view.modified_ms, listing.now_ms);
    fmt::format_to(std::back_inserter(text), "modified   {}\nversion    {}\nplace      {}\n", modified, view.version,
                   text_or_dash(view.place));
    if (!view.problem.empty()) text += fmt::format("problem    {}\n", printable(view.problem));
    if (!space.holds(view.number)) text += "note       outside of this name's share\n";
    return text;
}

}  // namespace frond::cli
