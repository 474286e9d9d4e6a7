#include "cli/worker_actions.hpp"

#include "base/units.hpp"
#include "cli/audit.hpp"
#include "cli/worker_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace frond::cli {
namespace {

using worker::RegistryError;
using worker::RegistryFault;

int fail(const WorkerWork& work, std::string_view message) {
    work.console.err << "frond: " << message << '\n';
    return server::exit_failed;
}

// Looks at the registry; nothing, and a complaint, when it does not answer.
std::optional<WorkerListing> look(const WorkerWork& work) {
    auto looked = work.admin.look();
    if (const auto* error = std::get_if<RegistryError>(&looked)) {
        // Errors name no addresses, since HTTP clients read them too; operators may know.
        fail(work, fmt::format("{} ({})", error->detail, work.admin.describe()));
        return std::nullopt;
    }
    WorkerListing listing{work.config.snowflake.name, work.admin.describe(),
                          std::move(std::get<worker::Survey>(looked)), unix_ms(work.clock.wall())};
    if (listing.survey.clock) listing.now_ms = listing.survey.clock->at(work.clock.steady());
    return listing;
}

constexpr std::int64_t longest_raise_ms = std::int64_t{365} * 86'400'000;

// The floor that the arguments ask for. Saturates. A registry that lost writes may show fences that are far too low, so
// that the present counts as well.
std::int64_t wanted_floor(const WorkerArguments& arguments, const WorkerListing& listing) {
    std::int64_t wanted = arguments.to_ms.value_or(INT64_MIN);
    if (arguments.by) {
        const std::int64_t base = std::max({highest_fence(listing.survey), listing.survey.name.floor, listing.now_ms});
        const std::int64_t by = arguments.by->count();
        wanted = std::max(wanted, base > INT64_MAX - by ? INT64_MAX : base + by);
    }
    return wanted;
}

// Why nobody can mean such a floor; empty when somebody may.
std::string absurdity(const WorkerWork& work, const WorkerListing& listing, std::int64_t wanted) {
    const std::int64_t end = listing.survey.name.space.layout.last_timestamp_ms();
    if (wanted >= end) {
        return fmt::format("{} is not before {}, the end of this layout's timestamps: no ID could be issued any more",
                           format_rfc3339(wanted), format_rfc3339(end));
    }
    if (wanted - listing.now_ms > longest_raise_ms && !work.arguments.force) {
        return fmt::format(
            "{} is more than a year ahead, and no ID could be issued until then; with --force it is done",
            time_text(wanted, listing.now_ms));
    }
    return {};
}

// Whom the raise comes too late for.
void warn_of_the_living(const WorkerWork& work, const WorkerListing& listing) {
    const auto held = std::ranges::count_if(listing.survey.records, [&](const worker::RecordView& view) {
        return view.record && view.record->state == worker::LeaseState::held && view.record->fence > listing.now_ms;
    });
    if (!listing.survey.present.empty()) {
        work.console.err << fmt::format(
            "frond: instances that are connected now: {}; they go on below the floor until they are stopped\n",
            listing.survey.present.size());
    } else if (held > 0) {
        work.console.err << fmt::format(
            "frond: worker IDs that are held with a fence that is not past: {}; an instance that still runs goes on "
            "below the floor until it is stopped\n",
            held);
    }
}

int report_raise(const WorkerWork& work, const WorkerListing& listing, std::int64_t wanted, std::int64_t floor) {
    work.console.out << fmt::format("floor of '{}': {}\n", listing.name, time_text(floor, listing.now_ms));
    if (floor > wanted) {
        work.console.out << "it was higher already, and stays\n";
    } else {
        audit(work.config.log, fmt::format("raised the floor of worker leases of '{}' to {}, registry {}", listing.name,
                                           format_rfc3339(floor), listing.registry));
    }
    work.console.out << "no lease that begins from now on issues an ID at or below it\n";
    // IDs may run ahead of the clock by max_ahead.
    const std::int64_t enough = listing.now_ms + work.config.snowflake.max_ahead.count();
    if (floor < listing.now_ms) {
        work.console.err << fmt::format(
            "frond: the floor is in the past: IDs that were issued since then may be above it; `--to {}` covers all "
            "until now\n",
            format_rfc3339(enough));
    }
    warn_of_the_living(work, listing);
    return server::exit_stopped;
}

}  // namespace

int list_workers(const WorkerWork& work) {
    const auto listing = look(work);
    if (!listing) return server::exit_failed;
    work.console.out << (work.arguments.json ? worker_list_json(*listing) + '\n' : worker_table(*listing));
    return server::exit_stopped;
}

int show_worker(const WorkerWork& work) {
    const auto listing = look(work);
    if (!listing) return server::exit_failed;
    const auto& records = listing->survey.records;
    const std::int64_t number = work.arguments.worker_id - listing->survey.name.space.offset;
    const auto found = std::ranges::find(records, number, &worker::RecordView::number);
    if (found == records.end()) {
        return fail(work, fmt::format("there is no record of worker ID {} under the name '{}' in {}",
                                      work.arguments.worker_id, listing->name, listing->registry));
    }
    work.console.out << (work.arguments.json ? worker_json(*found, *listing) + '\n' : worker_text(*found, *listing));
    return server::exit_stopped;
}

int raise_floor(const WorkerWork& work) {
    const auto listing = look(work);
    if (!listing) return server::exit_failed;
    const std::int64_t wanted = wanted_floor(work.arguments, *listing);
    if (const std::string why = absurdity(work, *listing, wanted); !why.empty()) return fail(work, why);
    const auto raised = work.admin.raise_floor(wanted);
    if (const auto* error = std::get_if<RegistryError>(&raised)) {
        const bool unknown = error->fault == RegistryFault::unknown;
        return fail(work, error->detail +
                              (unknown ? "; it may have been done or not: `frond worker list` shows the floor" : ""));
    }
    return report_raise(work, *listing, wanted, std::get<std::int64_t>(raised));
}

}  // namespace frond::cli
