// The lanes, and how a worker ID is taken. What happens while it is held is in lease_machine_hold.cpp.
#include "worker/lease_machine.hpp"

#include "base/units.hpp"
#include "worker/watermark.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace frond::worker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds settle{10'000};
constexpr milliseconds longest_first_retry{250};
constexpr milliseconds longest_retry{4'000};

// A number from the random text, to begin the search at.
std::uint64_t turn_from(const std::string& id) {
    std::uint64_t turn = 0;
    std::from_chars(id.data(), id.data() + std::min<std::size_t>(id.size(), 8), turn, 16);
    return turn;
}

}  // namespace

LeaseMachine::LeaseMachine(LeaseOptions options, StateAccess access, Issuer& issuer, KeeperMetrics& metrics)
    : options_(std::move(options)),
      access_(std::move(access)),
      issuer_(issuer),
      metrics_(metrics),
      mode_log_("Snowflake mode", settle),
      registry_log_("Worker registry", settle),
      clock_log_("Clock", settle),
      retry_(first_retry()) {
    if (!access_.found) return;
    if (access_.usable) permission_ = permission_of(*access_.found, claim());
    if (const auto why = ignored_because(*access_.found, claim()); !why.empty()) {
        spdlog::warn("Snowflake mode: the state file is ignored and replaced: {}", why);
    }
}

// ---- registry lane

std::optional<RegistryCall> LeaseMachine::next_call(const Moment& moment) {
    if (call_ || moment.steady < call_due_) return std::nullopt;
    if (unused_by_another_clock(moment)) {
        give_back(moment, clock_moved());
        if (moment.steady < call_due_) return std::nullopt;
    }
    call_ = due_call(moment);
    call_since_ = moment.steady;
    call_lease_ = lease_count_;
    return call_;
}

std::optional<RegistryCall> LeaseMachine::due_call(const Moment& moment) {
    switch (phase_) {
        case Phase::seeking:
            return SurveyCall{};
        case Phase::taking:
            if (!clock_is_off(moment)) return take_call(moment);
            phase_ = Phase::seeking;  // what was chosen was chosen at another time
            return SurveyCall{};
        case Phase::resolving:
            if (candidate_) return ReadCall{candidate_->number};
            return FindCall{attempt_};
        case Phase::holding:
            return lease_call(moment);
        case Phase::releasing:
            if (!lease_ || !marked_) return std::nullopt;
            return lease_call(moment);
        case Phase::stopped:
            break;
    }
    return std::nullopt;
}

RegistryCall LeaseMachine::take_call(const Moment& moment) {
    if (candidates_.empty()) {
        candidate_.reset();
        attempt_ = record_for(options_.new_id(), moment.now_ms,
                              std::max(name_.floor, moment.now_ms + options_.fence_window.count()));
        return CreateCall{attempt_};
    }
    candidate_ = candidates_.back();
    candidates_.pop_back();
    const std::int64_t fence =
        std::max({candidate_->fence, candidate_->floor, moment.now_ms + options_.fence_window.count()});  // invariant 3
    attempt_ = record_for(options_.new_id(), moment.now_ms, fence);
    return WriteCall{candidate_->number, candidate_->version, attempt_};
}

LeaseRecord LeaseMachine::record_for(const std::string& owner, std::int64_t timestamp, std::int64_t fence) const {
    return {owner, options_.new_id(), options_.identity, options_.ip, options_.port, timestamp,
            fence, LeaseState::held,  options_.space};
}

void LeaseMachine::call_done(const Moment& moment, RegistryReply reply) {
    const RegistryCall call = *std::exchange(call_, std::nullopt);
    const auto* error = std::get_if<RegistryError>(&reply);
    const bool away =
        error != nullptr && (error->fault == RegistryFault::unavailable || error->fault == RegistryFault::unknown);
    if (away) {
        metrics_.registry_errors.add();
    } else {
        registry_answered(moment);
    }
    // A lease that has ended since takes no answer any more: its limit can never rise again.
    if (call_lease_ != lease_count_) return;
    if (phase_ == Phase::releasing && !lease_ && error != nullptr) return finish();
    dispatch(moment, call, reply);
}

void LeaseMachine::dispatch(const Moment& moment, const RegistryCall& call, const RegistryReply& reply) {
    const bool of_lease = lease_.has_value();
    if (const auto* survey = std::get_if<Survey>(&reply)) {
        of_lease ? on_lease_survey(moment, *survey) : on_survey(moment, *survey);
    } else if (const auto* created = std::get_if<Created>(&reply)) {
        take_clock(moment, created->clock);
        on_take_done(moment, created->number, created->version);
    } else if (const auto* written = std::get_if<Written>(&reply)) {
        take_clock(moment, written->clock);
        of_lease ? on_lease_written(moment, written->version)
                 : on_take_done(moment, candidate_->number, written->version);
    } else if (const auto* found = std::get_if<Found>(&reply)) {
        of_lease ? on_lease_found(moment, *found) : on_take_found(moment, *found);
    } else if (of_lease) {
        on_lease_failed(moment, std::get<RegistryError>(reply), std::holds_alternative<WriteCall>(call));
    } else if (std::holds_alternative<SurveyCall>(call)) {
        on_survey_failed(moment, std::get<RegistryError>(reply));
    } else {
        on_take_failed(moment, std::get<RegistryError>(reply));
    }
}

// ---- seeking

void LeaseMachine::on_survey(const Moment& moment, const Survey& survey) {
    permission_.offline_until.reset();  // the registry itself speaks from here on
    take_clock(moment, survey.clock);
    if (lost_floor_ && survey.name.floor <= *lost_floor_) {
        return not_yet(moment, "lost writes",
                       Error(errc::worker_unavailable, lost_writes("before this instance stopped")));
    }
    auto contradiction = contradiction_in(survey, options_.space, options_.name);
    if (contradiction.empty() && !name_.id.empty() && survey.name.id != name_.id) {
        contradiction = fmt::format(
            "the name {} was deleted and made again while this instance knew it, so that its "
            "numbers begin anew; stop all instances of it, wait for their fences to pass, and "
            "start them again",
            options_.name);
    }
    if (!contradiction.empty()) {
        return not_yet(moment, contradiction, Error(errc::worker_unavailable, contradiction));
    }
    name_ = survey.name;
    lost_floor_.reset();
    if (name_.floor > later(moment.now_ms, reach())) {
        return not_yet(moment, "floor",
                       Error(errc::worker_unavailable,
                             fmt::format("the floor of all fences of {} is {}, as `frond worker raise` has set it; the "
                                         "first ID can be made then",
                                         options_.name, format_rfc3339(name_.floor))));
    }

    const ClockVerdict clocks = judge_clocks(survey, chooser(), moment);
    if (clocks.refused) return not_yet(moment, "clock", *clocks.refused);
    if (!clocks.warning.empty()) clock_log_.report("start", clocks.warning);

    if (survey.clock) accepted_offset_ms_ = moment.now_ms - survey.clock->at(moment.steady);

    const WorkerState* state = access_.found ? &*access_.found : nullptr;
    Choice choice =
        choose(survey, chooser(), moment, clocks.reference_ms, state, permission_, turn_from(options_.new_id()));
    if (choice.wait) return not_yet(moment, "clock", *choice.wait);
    if (choice.candidates.empty() && !choice.may_create) {
        const std::int64_t count = options_.space.limit - survey.first_number;
        return not_yet(
            moment, "full",
            Error(errc::worker_unavailable,
                  fmt::format("all {} worker IDs of {} are leased; next one free at {}", count, options_.name,
                              choice.next_free_ms ? format_rfc3339(*choice.next_free_ms) : "an unknown time")));
    }
    candidates_ = std::move(choice.candidates);
    std::ranges::reverse(candidates_);
    may_create_ = choice.may_create;
    phase_ = Phase::taking;
    call_due_ = moment.steady;
}

std::string LeaseMachine::lost_writes(const std::string& detail) const {
    return fmt::format(
        "the registry lost writes that it had acknowledged ({}); stop all instances of {}, run `frond "
        "worker raise`, and start them again",
        detail, options_.name);
}

void LeaseMachine::on_survey_failed(const Moment& moment, const RegistryError& error) {
    if (error.fault == RegistryFault::went_backwards) return stop_over_lost_writes(moment, error.detail);
    registry_failed(error.detail);
    const bool away = error.fault == RegistryFault::unavailable || error.fault == RegistryFault::unknown;
    if (away && begin_offline(moment)) return;
    not_yet(moment, away ? "registry" : error.detail,
            Error(errc::worker_unavailable, error.detail + (away ? offline_refusal(moment) : "")));
}

// ---- taking

void LeaseMachine::on_take_done(const Moment& moment, std::int64_t number, std::int64_t version) {
    if (!options_.space.holds(number)) {
        // The record stays behind; nobody may use its number.
        return on_take_failed(moment, {RegistryFault::full, fmt::format("number {} is above the limit", number)});
    }
    Lease lease;
    if (candidate_) lease.found_fence = candidate_->fence;
    lease.number = number;
    lease.floor = std::max(candidate_ ? candidate_->floor : INT64_MIN, name_.floor);
    if (access_.found) {
        const auto floor = floor_of(*access_.found, claim(), options_.space.worker_id(number));
        lease.floor = std::max(lease.floor, floor.value_or(INT64_MIN));
    }
    if (const auto used = used_.find(number); used != used_.end()) lease.floor = std::max(lease.floor, used->second);
    lease.least_fence = attempt_.fence;
    begin_lease(moment, std::move(lease));
    spdlog::info("Snowflake mode: leased worker ID {} ({})", options_.space.worker_id(number),
                 !candidate_          ? "a new number"
                 : candidate_->resume ? "resumed from the state file"
                                      : "taken over");
    confirm(moment, {attempt_.owner, attempt_.write, attempt_.fence}, version);
}

void LeaseMachine::on_take_failed(const Moment& moment, const RegistryError& error) {
    switch (error.fault) {
        case RegistryFault::unknown:
            // It may have been done: only a look at the record tells, and until then nothing else is tried, so that
            // retries do not use up the numbers.
            registry_failed(error.detail);
            phase_ = Phase::resolving;
            return not_yet(moment, "registry", Error(errc::worker_unavailable, error.detail));
        case RegistryFault::unavailable:
            registry_failed(error.detail);
            if (phase_ == Phase::taking) phase_ = Phase::seeking;
            return not_yet(moment, "registry", Error(errc::worker_unavailable, error.detail));
        case RegistryFault::conflict:
        case RegistryFault::missing:
            return next_candidate(moment);
        case RegistryFault::went_backwards:
            return stop_over_lost_writes(moment, error.detail);
        case RegistryFault::full:
            // Others took the last one: the next look says when one is free.
            phase_ = Phase::seeking;
            call_due_ = moment.steady + next_retry();
            return;
        case RegistryFault::contradiction:
            break;
    }
    phase_ = Phase::seeking;
    not_yet(moment, error.detail, Error(errc::worker_unavailable, error.detail));
}

void LeaseMachine::next_candidate(const Moment& moment) {
    if (!candidates_.empty() || (candidate_ && may_create_)) {
        call_due_ = moment.steady;
        return;
    }
    // Others were quicker with all of them.
    phase_ = Phase::seeking;
    call_due_ = moment.steady + next_retry();
}

// Invariant 4: only a `write` that is ours proves that it was done.
void LeaseMachine::on_take_found(const Moment& moment, const Found& found) {
    if (found && found->record && found->record->write == attempt_.write && found->record->owner == attempt_.owner) {
        return on_take_done(moment, found->number, found->version);
    }
    // It may still land: then it is a record that is held for a while by nobody.
    phase_ = Phase::seeking;
    call_due_ = moment.steady;
}

// ---- the state file lane

std::optional<WorkerState> LeaseMachine::next_store(const Moment& moment) {
    if (store_ || !access_.usable || !lease_ || moment.steady < store_due_) return std::nullopt;
    const bool releasing = phase_ == Phase::releasing;
    if (releasing && marked_) return std::nullopt;
    const milliseconds interval = watermark_interval(options_.max_ahead.count());
    store_due_ = moment.steady + interval;
    if (!releasing && !lease_->issuing && refused_now(moment)) {
        const std::int64_t allowed_at = start_allowed_at(start_rule(), lease_->floor);
        const bool soon = allowed_at > moment.now_ms && allowed_at < later(moment.now_ms, interval.count());
        if (soon) store_due_ = moment.steady + milliseconds(allowed_at - moment.now_ms);
        return std::nullopt;
    }
    WorkerState state = state_to_store(moment);
    if (stored_ == state && !releasing) return std::nullopt;
    store_ = state;
    store_lease_ = lease_count_;
    store_since_ = moment.steady;
    return state;
}

WorkerState LeaseMachine::state_to_store(const Moment& moment) const {
    const std::int64_t before = lease_->watermark.value_or(lease_->floor);
    WorkerState state{options_.name,
                      options_.space.layout,
                      options_.registry,
                      options_.space.worker_id(lease_->number),
                      lease_->owner,
                      WorkerState::Use::held,
                      next_watermark(before, moment.now_ms, options_.max_ahead.count(), lease_->fence),
                      lease_->fence,
                      access_.holder};
    if (phase_ == Phase::releasing) {
        // While the registry is away, its record stays as it is, and this file the permission to go on from it.
        state.use = lower_fence_ ? WorkerState::Use::released : WorkerState::Use::held;
        state.watermark = last_used_ms_;
    }
    return state;
}

void LeaseMachine::store_done(const Moment& moment, const Result<void>& stored) {
    WorkerState state = *std::exchange(store_, std::nullopt);
    if (!stored) metrics_.state_file_errors.add();
    if (stored) stored_ = state;
    if (store_lease_ != lease_count_ || !lease_) return;

    if (phase_ == Phase::releasing) return on_release_stored(moment, state, stored);
    if (!stored) return store_failed(moment, stored.error());
    store_trouble_.reset();
    lease_->watermark = state.watermark;
    metrics_.watermark_ms.set(state.watermark);
    if (lease_->issuing) {
        raise_limit();
    } else {
        open_issuer(moment);
    }
}

void LeaseMachine::on_release_stored(const Moment& moment, const WorkerState& state, const Result<void>& stored) {
    const bool says_all = state.watermark == last_used_ms_ && (state.use == WorkerState::Use::released) == lower_fence_;
    if (!says_all) {
        // It was under way when the release began.
        store_due_ = moment.steady;
        return;
    }
    if (!stored) {
        spdlog::warn("Snowflake mode: the state file could not be marked, so the record stays as it is: {}",
                     stored.error().detail);
        return finish();
    }
    marked_ = true;
    if (!lower_fence_) return finish();
    call_due_ = moment.steady;
}

void LeaseMachine::store_failed(const Moment& moment, const Error& error) {
    store_trouble_ = error.detail;
    // Before the first ID there is nothing to wait for.
    if (!lease_->issuing) abandon(moment, error.detail);
}

// ---- small things

void LeaseMachine::not_yet(const Moment& moment, const std::string& kind, Error why) {
    settled_ = true;
    mode_log_.report(kind, why.detail);
    issuer_.set_trouble(std::move(why));
    call_due_ = moment.steady + next_retry();
}

milliseconds LeaseMachine::first_retry() const noexcept {
    return std::clamp(options_.heartbeat / 12, milliseconds(10), longest_first_retry);
}

// Whether the local clock has moved against the registry's since the worker ID was chosen.
bool LeaseMachine::clock_is_off(const Moment& moment) const {
    if (!registry_clock_) return false;
    const std::int64_t offset = moment.now_ms - registry_clock_->at(moment.steady);
    return std::abs(offset - accepted_offset_ms_) > options_.max_clock_skew.count();
}

// How far ahead of the clock a floor may be to be waited for.
std::int64_t LeaseMachine::reach() const noexcept {
    return std::max(options_.max_ahead, options_.max_clock_skew).count();
}

milliseconds LeaseMachine::next_retry() {
    // Instances that began together must not come back together: between 3/4 and 5/4.
    const auto share = static_cast<std::int64_t>(turn_from(options_.new_id()) % 512);
    const milliseconds wait = std::max(retry_ * (768 + share) / 1024, milliseconds(1));
    retry_ = std::min({retry_ * 2, options_.heartbeat * 4, longest_retry});
    return wait;
}

void LeaseMachine::registry_failed(const std::string& detail) {
    registry_up_ = false;
    metrics_.registry_up.set(0);
    if (lease_ && lease_->issuing) registry_log_.report("away", detail + "; IDs go on up to the fence");
}

void LeaseMachine::registry_answered(const Moment& moment) {
    registry_up_ = true;
    metrics_.registry_up.set(1);
    registry_log_.report_none(moment.steady);
}

void LeaseMachine::take_clock(const Moment& moment, const std::optional<RegistryClock>& clock) {
    if (!clock) return;
    reference_ = clock;
    registry_clock_ = clock;
    const std::int64_t offset = clock->at(moment.steady) - moment.now_ms;
    metrics_.registry_offset_ms.set(offset);
    if (!lease_) return;
    if (std::abs(offset) > options_.max_clock_skew.count()) {
        clock_log_.report("registry",
                          fmt::format("the registry's clock is {} ms {} the time of IDs, which go on by the "
                                      "latter",
                                      std::abs(offset), offset > 0 ? "ahead of" : "behind"));
    } else {
        clock_log_.report_none(moment.steady);
    }
}

std::optional<RegistryClock> LeaseMachine::take_reference() { return std::exchange(reference_, std::nullopt); }

Chooser LeaseMachine::chooser() const {
    return {options_.identity, options_.space, options_.max_ahead.count(), options_.max_clock_skew.count(),
            options_.heartbeat.count()};
}

Claim LeaseMachine::claim() const { return {options_.name, options_.space.layout, options_.registry, access_.holder}; }

StartRule LeaseMachine::start_rule() const {
    return {options_.space.layout, options_.max_ahead.count(), options_.max_clock_skew.count()};
}

SteadyTime LeaseMachine::wake_at() const noexcept {
    SteadyTime at = SteadyTime::max();
    const bool calls = phase_ != Phase::stopped && (phase_ != Phase::releasing || (lease_ && marked_));
    if (!call_ && calls) at = std::min(at, call_due_);
    const bool stores =
        lease_ && access_.usable && phase_ != Phase::stopped && !(phase_ == Phase::releasing && marked_);
    if (!store_ && stores) at = std::min(at, store_due_);
    return at;
}

bool LeaseMachine::released() const noexcept { return phase_ == Phase::stopped; }
bool LeaseMachine::holding() const noexcept { return lease_.has_value(); }
bool LeaseMachine::issuing() const noexcept { return lease_ && lease_->issuing; }
bool LeaseMachine::settled() const noexcept { return settled_; }

}  // namespace frond::worker
