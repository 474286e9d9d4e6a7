// A lease that is held: heartbeats, what ends it, and its release.
#include "base/units.hpp"
#include "worker/lease_machine.hpp"
#include "worker/watermark.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace frond::worker {
namespace {

using std::chrono::milliseconds;

// A write of the state file that takes longer is taken to have failed.
constexpr milliseconds store_patience{3'000};
// What lies between two looks at the most, while the process runs.
constexpr milliseconds longest_look{1'500};
constexpr milliseconds peers_interval{10'000};
constexpr std::string_view late_store = "the state file was not written in time";

}  // namespace

// ---- begin

void LeaseMachine::begin_lease(const Moment& moment, Lease lease) {
    lease_ = std::move(lease);
    ++lease_count_;
    permission_ = {};  // what was found at the start says nothing of what this process issues
    candidates_.clear();
    stored_.reset();
    store_trouble_.reset();
    store_due_ = moment.steady;
    metrics_.leases_taken.add();
    if (phase_ == Phase::releasing) {
        // Taken while the process was already stopping.
        last_used_ms_ = std::max(lease_->floor, options_.space.layout.epoch_ms() - 1);
        lower_fence_ = true;
        marked_ = !access_.usable;
        return;
    }
    phase_ = Phase::holding;
}

// Start while the registry is down: above the watermark, up to the last fence that was committed, never beyond.
bool LeaseMachine::begin_offline(const Moment& moment) {
    if (!permission_.offline_until) return false;
    const WorkerState& state = *access_.found;
    const std::int64_t fence = *permission_.offline_until;
    const std::int64_t number = state.worker_id - options_.space.offset;
    if (fence <= moment.now_ms || !options_.space.holds(number)) return false;
    if (refuse_start(start_rule(), moment.now_ms, state.watermark)) return false;
    Lease lease;
    lease.number = number;
    lease.floor = state.watermark;
    lease.owner = state.owner;
    lease.fence = fence;
    lease.least_fence = fence;
    begin_lease(moment, std::move(lease));
    call_due_ = moment.steady + next_retry();
    spdlog::warn("Snowflake mode: the registry is away; worker ID {} goes on up to {}, as the state file allows",
                 state.worker_id, format_rfc3339(fence));
    return true;
}

// Why the state file does not help at this time of the clock; it may well be the clock that is wrong.
std::string LeaseMachine::offline_refusal(const Moment& moment) const {
    if (!permission_.offline_until) return {};
    if (const auto refused = refuse_start(start_rule(), moment.now_ms, access_.found->watermark)) {
        return "; and " + refused->detail;
    }
    if (*permission_.offline_until > moment.now_ms) return {};
    return fmt::format("; and the clock shows {}, past {}, up to which the state file allows to go on without it",
                       format_rfc3339(moment.now_ms), format_rfc3339(*permission_.offline_until));
}

// The earliest moment for the first ID has come, and all that must be written is.
void LeaseMachine::open_issuer(const Moment& moment) {
    if (auto refused = refused_now(moment)) return not_open(std::move(*refused));
    if (lease_->confirmed && clock_is_off(moment)) return give_back(moment, clock_moved());
    const std::int64_t worker_id = options_.space.worker_id(lease_->number);
    issuer_.open({options_.space.layout, worker_id, options_.max_ahead.count(), lease_->floor, limit()});
    lease_->issuing = true;
    settled_ = true;
    mode_log_.clear();
    spdlog::info("Snowflake mode: ready, worker ID {}", worker_id);
}

void LeaseMachine::not_open(Error why) {
    mode_log_.report("clock", why.detail);
    issuer_.set_trouble(std::move(why));
    settled_ = true;
}

std::optional<Error> LeaseMachine::refused_now(const Moment& moment) const {
    return refuse_start(start_rule(), moment.now_ms, lease_->floor);
}

// Invariants 2 and 5.
std::int64_t LeaseMachine::limit() const noexcept {
    return access_.usable ? std::min(lease_->fence, lease_->watermark.value_or(INT64_MIN)) : lease_->fence;
}

void LeaseMachine::raise_limit() {
    if (lease_->issuing) issuer_.raise_limit(limit());
}

// ---- heartbeats and the release's write

RegistryCall LeaseMachine::lease_call(const Moment& moment) {
    if (lease_->must_read) return ReadCall{lease_->number};
    if (lease_->confirmed && clock_held_ && phase_ == Phase::holding && moment.steady >= peers_due_) {
        peers_due_ = moment.steady + peers_interval;
        return SurveyCall{};
    }
    if (!lease_->confirmed && !lease_->resuming) return SurveyCall{};
    return lease_write(moment);
}

RegistryCall LeaseMachine::lease_write(const Moment& moment) {
    // Invariant 1: the version is the one that our last confirmed write returned, or was read for a resume.
    const std::int64_t fence = std::max(lease_->least_fence, moment.now_ms + options_.fence_window.count());
    LeaseRecord record = record_for(lease_->resuming ? options_.new_id() : lease_->owner, moment.now_ms, fence);
    const bool release = phase_ == Phase::releasing || lease_->giving_back;
    if (release) {
        record.state = LeaseState::released;
        // Invariant 3: the issuer is closed; or it never was open, and the fence is again what was found.
        record.fence = lease_->giving_back
                           ? std::max({lease_->found_fence, lease_->floor, options_.space.layout.epoch_ms() - 1})
                           : last_used_ms_;
    }
    lease_->least_fence = std::max(lease_->least_fence, record.fence);
    lease_->unresolved.push_back({record.owner, record.write, record.fence, release});
    return WriteCall{lease_->number, lease_->version, std::move(record)};
}

void LeaseMachine::on_lease_written(const Moment& moment, std::int64_t version) {
    confirm(moment, lease_->unresolved.back(), version);
}

void LeaseMachine::confirm(const Moment& moment, const Write& write, std::int64_t version) {
    const Write done = write;  // `write` may be an element of what is cleared
    lease_->owner = done.owner;
    lease_->write = done.write;
    lease_->version = version;
    lease_->fence = done.fence;
    lease_->confirmed = true;
    lease_->resuming = false;
    lease_->must_read = false;
    lease_->conflicts = 0;
    lease_->unresolved.clear();  // all others expect an older version and can never land
    if (!lease_->giving_back) retry_ = first_retry();
    metrics_.heartbeats.add();
    metrics_.fence_ms.set(done.fence);
    if (phase_ == Phase::releasing) {
        if (done.release) return finish();
        call_due_ = moment.steady;
        return;
    }
    if (done.release) {
        lease_.reset();
        ++lease_count_;
        phase_ = Phase::seeking;
        call_due_ = moment.steady + next_retry();
        return;
    }
    call_due_ = lease_->giving_back ? moment.steady : moment.steady + options_.heartbeat;
    raise_limit();
    // The state file names owner and fence too.
    if (access_.usable && stored_ && stored_->owner != done.owner) store_due_ = moment.steady;
    if (!lease_->issuing && !access_.usable && !lease_->giving_back) open_issuer(moment);
}

void LeaseMachine::on_lease_failed(const Moment& moment, const RegistryError& error, bool was_write) {
    switch (error.fault) {
        case RegistryFault::unavailable:
            if (was_write) lease_->unresolved.pop_back();  // it was not done and never will be
            break;
        case RegistryFault::unknown:
            lease_->must_read = lease_->must_read || was_write;
            break;
        case RegistryFault::conflict:
            // Somebody else, or an earlier write of ours whose answer was lost: the record tells.
            lease_->unresolved.pop_back();
            lease_->must_read = true;
            // At once; but a look that is older than the conflict must not make a busy loop.
            call_due_ = moment.steady + (++lease_->conflicts == 1 ? milliseconds(0) : next_retry());
            return;
        case RegistryFault::missing:
            return lose(moment, Error(errc::lease_lost, "the record of the worker ID was deleted"));
        case RegistryFault::went_backwards:
            return stop_over_lost_writes(moment, error.detail);
        case RegistryFault::contradiction:
        case RegistryFault::full:
            return lose(moment, Error(errc::lease_lost, error.detail));
    }
    registry_failed(error.detail);
    call_due_ = moment.steady + next_retry();
}

// Invariant 4: the record is still ours only if its last write is one of ours; not even our owner in it is proof, as
// the memory of the machine may have been copied.
void LeaseMachine::on_lease_found(const Moment& moment, const Found& found) {
    if (!found || !found->record) {
        return lose(moment, Error(errc::lease_lost, "the record of the worker ID was deleted or overwritten"));
    }
    if (lease_->confirmed && found->version < lease_->version) {
        return stop_over_lost_writes(
            moment, fmt::format("{} shows version {} after {}", found->place, found->version, lease_->version));
    }
    const LeaseRecord& record = *found->record;
    lease_->must_read = false;
    const auto ours = std::ranges::find(lease_->unresolved, record.write, &Write::write);
    if (ours != lease_->unresolved.end()) return confirm(moment, *ours, found->version);
    const bool unchanged = lease_->confirmed && record.write == lease_->write;
    const bool of_file = !lease_->confirmed && record.owner == lease_->owner;
    if (unchanged || of_file) {
        // What is unresolved may land later: it stays in mind.
        if (of_file) {
            lease_->version = found->version;
            lease_->least_fence = std::max(lease_->least_fence, record.fence);
        }
        call_due_ = moment.steady;
        return;
    }
    lose(moment,
         Error(errc::lease_lost, fmt::format("worker ID {} was taken by {}", options_.space.worker_id(lease_->number),
                                             record.identity.empty() ? "another instance" : record.identity)));
}

// The registry is back after a start without it.
void LeaseMachine::on_lease_survey(const Moment& moment, const Survey& survey) {
    take_clock(moment, survey.clock);
    if (lease_->confirmed) return offer_peers(moment, survey);
    if (auto why = contradiction_in(survey, options_.space, options_.name); !why.empty()) {
        return lose(moment, Error(errc::lease_lost, std::move(why)));
    }
    if (survey.name.floor > lease_->floor) {
        return lose(moment, Error(errc::lease_lost, "the floor of all fences was raised"));
    }
    if (const ClockVerdict clocks = judge_clocks(survey, chooser(), moment); clocks.refused) {
        return lose(moment, *clocks.refused);
    }
    name_ = survey.name;
    const auto view = std::ranges::find(survey.records, lease_->number, &RecordView::number);
    if (view == survey.records.end() || !view->record) {
        return lose(moment, Error(errc::lease_lost, "the record of the worker ID is gone"));
    }
    lease_->least_fence = std::max(lease_->least_fence, view->record->fence);
    if (view->record->owner == lease_->owner) {
        lease_->resuming = true;
        lease_->version = view->version;
        call_due_ = moment.steady;
        return;
    }
    on_lease_found(moment, *view);
}

// ---- ends

void LeaseMachine::lose(const Moment& moment, Error why) {
    const std::int64_t worker_id = options_.space.worker_id(lease_->number);
    const bool stopping = phase_ == Phase::releasing;
    close_issuer(why);
    lease_.reset();
    ++lease_count_;
    metrics_.leases_lost.add();
    metrics_.fence_ms.set(0);
    spdlog::error("Snowflake mode: lost worker ID {}: {}", worker_id, why.detail);
    if (stopping) return finish();
    phase_ = Phase::seeking;
    // At once where something was in use, but never in a loop.
    call_due_ = std::max(moment.steady, lost_at_ + longest_look);
    lost_at_ = moment.steady;
}

// Whatever the registry says of this number later, this process does not use a timestamp twice.
void LeaseMachine::close_issuer(Error why) {
    if (const auto last = issuer_.close(std::move(why))) used_[lease_->number] = *last;
}

Error LeaseMachine::clock_moved() const {
    return {errc::clock_rollback,
            "the clock of this machine has moved against the registry's since the worker ID was chosen"};
}

bool LeaseMachine::unused_by_another_clock(const Moment& moment) const {
    return lease_ && lease_->confirmed && !lease_->issuing && !lease_->giving_back && phase_ == Phase::holding &&
           clock_is_off(moment);
}

// Nothing was issued under the lease, and nothing can be soon: the record becomes what it was, as if it had never been
// taken. Where the state file already speaks of it, it is left as it stands: the file may be trusted later.
void LeaseMachine::give_back(const Moment& moment, Error why) {
    const bool in_file = stored_ || (store_ && store_lease_ == lease_count_);
    if (in_file || !lease_->confirmed) return lose(moment, std::move(why));
    spdlog::warn("Snowflake mode: gives worker ID {} back unused: {}", options_.space.worker_id(lease_->number),
                 why.detail);
    lease_->giving_back = true;
    issuer_.set_trouble(std::move(why));
    call_due_ = moment.steady;
}

// Other instances may hold what the registry has forgotten, so that only an operator can tell what is safe.
void LeaseMachine::stop_over_lost_writes(const Moment& moment, const std::string& detail) {
    lost_floor_ = name_.floor;
    const Error why(errc::worker_unavailable, lost_writes(detail));
    if (lease_) lose(moment, why);
    if (phase_ == Phase::stopped) return;
    phase_ = Phase::seeking;
    not_yet(moment, "lost writes", why);
}

// The state file cannot be written, so nothing was issued above the watermark in it. A later start may trust that
// file: the record is left as it stands, and another worker ID is taken without a file.
void LeaseMachine::abandon(const Moment& moment, const std::string& why) {
    const std::int64_t worker_id = options_.space.worker_id(lease_->number);
    close_issuer(Error(errc::worker_unavailable, why));
    lease_.reset();
    ++lease_count_;
    access_.usable = false;
    metrics_.fence_ms.set(0);
    metrics_.watermark_ms.set(0);
    spdlog::error("Snowflake mode: gave up worker ID {}: {}; going on with another and without a state file", worker_id,
                  why);
    phase_ = Phase::seeking;
    call_due_ = moment.steady;
}

// A process that was stopped itself has seen nothing of the disk meanwhile, so that this time does not count.
bool LeaseMachine::store_hangs(const Moment& moment) {
    const bool was_stopped = moment.steady - std::exchange(observed_, moment.steady) > longest_look;
    if (was_stopped) store_since_ = moment.steady;
    return store_ && store_lease_ == lease_count_ && moment.steady - store_since_ > store_patience;
}

// A jump of the clock that all agree on leaves little of the fence, or nothing: not to be left to the next heartbeat.
void LeaseMachine::renew_early(const Moment& moment) {
    const bool short_of_fence = later(moment.now_ms, options_.fence_window.count() / 2) > lease_->fence;
    if (!short_of_fence || !registry_up_ || !lease_->confirmed) return;
    call_due_ = std::min(call_due_, std::max(moment.steady, call_since_ + first_retry()));
}

// Where the registry's clock does not confirm a jump of the wall clock, the other instances' may.
void LeaseMachine::offer_peers(const Moment& moment, const Survey& survey) {
    call_due_ = moment.steady;  // the heartbeat that was due
    if (!survey.clock) return;
    if (const auto ahead = peers_ahead(survey, chooser(), survey.clock->at(moment.steady))) {
        reference_ = RegistryClock{survey.clock->ms + *ahead, survey.clock->steady};
    }
}

void LeaseMachine::observe(const Moment& moment) {
    clock_held_ = moment.clock_held;
    if (!lease_ || phase_ != Phase::holding || lease_->giving_back) return;
    const bool hung = store_hangs(moment);
    if (!lease_->issuing) {
        if (hung) return abandon(moment, std::string(late_store));
        auto refused = refused_now(moment);
        // One that was chosen by a clock that was ahead, and has been mended since, cannot be waited for.
        if (refused && lease_->floor > later(moment.now_ms, reach())) return give_back(moment, std::move(*refused));
        if (refused) return not_open(std::move(*refused));
        if (!access_.usable || lease_->watermark) open_issuer(moment);  // else the store opens it
        return;
    }
    const bool passed = lease_->watermark && moment.now_ms > *lease_->watermark && *lease_->watermark < lease_->fence;
    if (access_.usable && passed && (store_trouble_ || hung)) {
        return abandon(moment, store_trouble_.value_or(std::string(late_store)));
    }
    renew_early(moment);
    issuer_.set_trouble(trouble_while_issuing(moment));
}

std::optional<Error> LeaseMachine::trouble_while_issuing(const Moment& moment) {
    if (auto refused = refuse_time(options_.space.layout, moment.now_ms)) {
        mode_log_.report("clock", refused->detail);
        return refused;
    }
    if (moment.now_ms > lease_->fence) {
        Error error(errc::worker_unavailable,
                    fmt::format("the registry has not confirmed worker ID {} since its fence, {}, has passed",
                                options_.space.worker_id(lease_->number), format_rfc3339(lease_->fence)));
        mode_log_.report("fence", error.detail);
        return error;
    }
    if (store_trouble_) {
        mode_log_.report("state file", *store_trouble_);
    } else {
        mode_log_.report_none(moment.steady);
    }
    return std::nullopt;
}

void LeaseMachine::begin_release(const Moment& moment) {
    if (phase_ == Phase::releasing || phase_ == Phase::stopped) return;
    const auto last = issuer_.close(Error(errc::draining, "the server is stopping"));
    const bool take_under_way = call_ && phase_ == Phase::taking;
    phase_ = Phase::releasing;
    candidates_.clear();
    if (!lease_) {
        // An answer to a take may still come: the number would be blocked for a whole fence window.
        if (!take_under_way) finish();
        return;
    }
    last_used_ms_ = last.value_or(std::max(lease_->floor, options_.space.layout.epoch_ms() - 1));
    lower_fence_ = lease_->confirmed && registry_up_;
    marked_ = !access_.usable;
    store_due_ = moment.steady;
    call_due_ = moment.steady;
    if (marked_ && !lower_fence_) finish();
}

void LeaseMachine::finish() noexcept {
    phase_ = Phase::stopped;
    lease_.reset();
    ++lease_count_;
}

}  // namespace frond::worker
