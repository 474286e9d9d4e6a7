#include "cli/key_actions.hpp"

#include "cli/audit.hpp"
#include "cli/key_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace frond::cli {
namespace {

using segment::KeyRecord;

constexpr const char* delta_warning =
    "delta is above 1: do not share this key with a Leaf server, which does not know delta\n";

int print(const KeyWork& work, const Result<KeyRecord>& record) {
    if (!record) return complain(work.console, record.error());
    work.console.out << (work.arguments.json ? key_json(*record) + "\n" : key_text(*record));
    return server::exit_stopped;
}

// Keys up to a limit, and whether there are more.
struct Listing {
    std::vector<KeyRecord> records;
    bool more = false;
};

// Reads page by page, so that no statement has to bring a hundred thousand rows.
Result<Listing> read_keys(const KeyWork& work) {
    constexpr std::size_t page = 1000;
    const std::size_t limit = work.arguments.limit;
    Listing listing;
    std::string after = work.arguments.after;
    for (bool last = false; !last && !listing.more;) {
        auto records = work.admin.list(work.arguments.prefix, after, page);
        if (!records) return records.error();
        last = records->size() < page;
        if (!records->empty()) after = records->back().key;
        std::ranges::move(*records, std::back_inserter(listing.records));
        listing.more = limit != 0 && listing.records.size() > limit;
    }
    if (listing.more) listing.records.resize(limit);
    return listing;
}

}  // namespace

int create_key(const KeyWork& work) {
    KeyRecord record = work.arguments.record;
    record.key = work.arguments.key;
    if (const auto created = work.admin.create(record); !created) return complain(work.console, created.error());
    work.console.out << fmt::format("created key '{}' with step {}\n", record.key, record.step);
    if (record.delta > 1) work.console.out << delta_warning;
    return server::exit_stopped;
}

int list_keys(const KeyWork& work) {
    const Result<Listing> listing = read_keys(work);
    if (!listing) return complain(work.console, listing.error());
    const std::string next = listing->more ? listing->records.back().key : std::string();
    if (work.arguments.json) {
        work.console.out << key_list_json(listing->records, next) << '\n';
        return server::exit_stopped;
    }
    work.console.out << key_table(listing->records);
    if (listing->more) work.console.err << fmt::format("there are more: go on with --after {}\n", printable(next));
    return server::exit_stopped;
}

int show_key(const KeyWork& work) { return print(work, work.admin.show(work.arguments.key)); }

int set_key(const KeyWork& work) {
    const Result<KeyRecord> record = work.admin.change(work.arguments.key, work.arguments.change);
    // Not into JSON.
    if (record && work.arguments.change.delta.value_or(1) > 1) {
        (work.arguments.json ? work.console.err : work.console.out) << delta_warning;
    }
    return print(work, record);
}

int accept_key(const KeyWork& work) {
    const Result<KeyRecord> record = work.admin.accept(work.arguments.key);
    if (!record) return complain(work.console, record.error());
    audit(work.config.log,
          fmt::format("accepted that the table went backwards for key '{}', max_id {}", record->key, record->max_id));
    return server::exit_stopped;
}

int raise_keys(const KeyWork& work) {
    const std::int64_t by = work.arguments.by;
    if (work.arguments.all) {
        const Result<std::int64_t> rows = work.admin.raise_all(by);
        if (!rows) return complain(work.console, rows.error());
        audit(work.config.log, fmt::format("raised all {} keys by {}", *rows, by));
        return server::exit_stopped;
    }
    const Result<KeyRecord> record = work.admin.raise(work.arguments.key, by);
    if (!record) return complain(work.console, record.error());
    audit(work.config.log, fmt::format("raised key '{}' by {}, max_id is {}", record->key, by, record->max_id));
    return server::exit_stopped;
}

}  // namespace frond::cli
