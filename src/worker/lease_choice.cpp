#include "worker/lease_choice.hpp"

#include "base/units.hpp"
#include "worker/watermark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace frond::worker {
namespace {

constexpr int live_heartbeats = 10;  // an instance that wrote this recently is alive

std::string clock_text(std::string_view whose, std::int64_t ms) {
    return fmt::format("{} shows {}", whose, format_rfc3339(ms));
}

// How far the clocks of the other live instances are ahead of the registry's.
std::vector<std::int64_t> peer_offsets(const Survey& survey, const Chooser& chooser, std::int64_t registry_ms) {
    std::vector<std::int64_t> offsets;
    for (const RecordView& view : survey.records) {
        if (!view.record || view.record->state != LeaseState::held || view.record->identity == chooser.identity)
            continue;
        // Number 0 of ZooKeeper is held by nobody. A write of the future says nothing of today.
        if (view.number < survey.first_number) continue;
        if (std::abs(view.modified_ms - registry_ms) > live_heartbeats * chooser.heartbeat_ms) continue;
        offsets.push_back(view.record->timestamp - view.modified_ms);
    }
    return offsets;
}

std::int64_t median(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

bool is_leaf(const RecordView& view) { return !view.record && view.problem.empty(); }

// The record with what is asked of it, by which a released or past one becomes a candidate.
class Judge {
public:
    Judge(const Chooser& chooser, std::int64_t now_ms, std::int64_t reference_ms, std::int64_t floor)
        : chooser_(chooser), now_ms_(now_ms), reference_ms_(reference_ms), floor_(floor) {}

    // When the record may be taken over.
    [[nodiscard]] std::int64_t free_at(const LeaseRecord& record) const {
        return record.state == LeaseState::held ? record.fence + chooser_.max_clock_skew_ms + 1
                                                : record.fence - chooser_.max_ahead_ms;
    }
    [[nodiscard]] bool is_free(const LeaseRecord& record) const { return free_at(record) <= reference_ms_; }

    [[nodiscard]] Candidate take_over(const RecordView& view) const {
        const LeaseRecord& record = *view.record;
        const bool held = record.state == LeaseState::held;
        const std::int64_t above = held ? later(record.fence, chooser_.max_clock_skew_ms) : record.fence;
        return {view.number, view.version, record.fence, std::max(above, floor_), false};
    }
    [[nodiscard]] Candidate resume(const RecordView& view, std::int64_t watermark) const {
        return {view.number, view.version, view.record->fence, std::max(watermark, floor_), true};
    }

    // A floor that the clock reaches within the skew is waited for.
    [[nodiscard]] bool worth_waiting(std::int64_t floor) const {
        return floor > later(now_ms_, chooser_.max_ahead_ms) && floor <= later(now_ms_, chooser_.max_clock_skew_ms);
    }
    [[nodiscard]] bool reachable(std::int64_t floor) const {
        return floor <= later(now_ms_, std::max(chooser_.max_ahead_ms, chooser_.max_clock_skew_ms));
    }

private:
    const Chooser& chooser_;
    std::int64_t now_ms_;
    std::int64_t reference_ms_;
    std::int64_t floor_;
};

Error must_wait(const Chooser& chooser, const RecordView& view, std::int64_t now_ms, std::int64_t fence) {
    return {errc::clock_rollback,
            fmt::format("the clock shows {}, {} ms behind {}, up to which this instance has used worker ID {}; waiting "
                        "for it",
                        format_rfc3339(now_ms), fence - now_ms, format_rfc3339(fence),
                        chooser.space.worker_id(view.number))};
}

}  // namespace

std::string contradiction_in(const Survey& survey, const LeaseSpace& own, std::string_view name) {
    if (survey.name.space != own) {
        return fmt::format(
            "the name {} was made with {}, this instance is configured with {}; make them equal, or use "
            "another snowflake.name",
            name, describe(survey.name.space), describe(own));
    }
    for (const RecordView& view : survey.records) {
        if (view.record && view.record->space != own) {
            return fmt::format(
                "record {} of {} was written with {}, this instance is configured with {}; make them "
                "equal, or use another snowflake.name",
                view.place, view.record->identity, describe(view.record->space), describe(own));
        }
        if (is_leaf(view) && (own.offset != 0 || own.layout != SnowflakeLayout())) {
            return fmt::format(
                "{} was made by Leaf, whose layout is {}; this instance is configured with {}; beside "
                "Leaf, worker_id_offset must be 0 and the layout Leaf's",
                view.place, describe(LeaseSpace{SnowflakeLayout(), 0, own.limit}), describe(own));
        }
    }
    return {};
}

std::optional<std::int64_t> peers_ahead(const Survey& survey, const Chooser& chooser, std::int64_t registry_ms) {
    auto offsets = peer_offsets(survey, chooser, registry_ms);
    if (offsets.empty()) return std::nullopt;
    return median(std::move(offsets));
}

ClockVerdict judge_clocks(const Survey& survey, const Chooser& chooser, const Moment& moment) {
    ClockVerdict verdict;
    verdict.reference_ms = moment.now_ms;
    if (!survey.clock) return verdict;
    const std::int64_t registry_ms = survey.clock->at(moment.steady);
    const std::int64_t offset = moment.now_ms - registry_ms;
    if (std::abs(offset) <= chooser.max_clock_skew_ms) {
        verdict.reference_ms = registry_ms;
        return verdict;
    }
    const auto facts =
        fmt::format("{}, {}, {} ms {}", clock_text("the clock of this machine", moment.now_ms),
                    clock_text("the registry's", registry_ms), std::abs(offset), offset < 0 ? "ahead" : "behind");
    const auto offsets = peer_offsets(survey, chooser, registry_ms);
    if (offsets.empty()) {
        verdict.refused =
            Error(errc::clock_rollback,
                  facts + ", and no other instance is alive to tell which is wrong; set the wrong one right");
        return verdict;
    }
    const std::int64_t peers = median(offsets);
    const auto three = fmt::format("{}, {} (median of {})", facts,
                                   clock_text("that of the other instances", registry_ms + peers), offsets.size());
    if (std::abs(offset - peers) <= chooser.max_clock_skew_ms) {
        verdict.warning = three + "; the registry's is taken to be wrong";
        return verdict;
    }
    verdict.refused = Error(errc::clock_rollback, three + "; set the clock of this machine right");
    return verdict;
}

Choice choose(const Survey& survey, const Chooser& chooser, const Moment& moment, std::int64_t reference_ms,
              const WorkerState* state, const Permission& permission, std::uint64_t turn) {
    const Judge judge(chooser, moment.now_ms, reference_ms, survey.name.floor);
    Choice choice;
    choice.may_create = survey.next_number < chooser.space.limit;

    std::vector<const RecordView*> views;
    for (const RecordView& view : survey.records) {
        if (view.record && view.number >= survey.first_number && chooser.space.holds(view.number)) {
            views.push_back(&view);
        }
    }
    std::ranges::sort(views, {}, [](const RecordView* view) { return view->number; });
    if (!views.empty()) {
        std::ranges::rotate(views, views.begin() + static_cast<std::ptrdiff_t>(turn % views.size()));
    }

    std::vector<Candidate> own;
    std::vector<Candidate> others;
    for (const RecordView* view : views) {
        const LeaseRecord& record = *view->record;
        const bool mine = record.identity == chooser.identity;
        const bool resumable = permission.resume && state != nullptr && record.owner == state->owner &&
                               chooser.space.worker_id(view->number) == state->worker_id;
        if (resumable && judge.reachable(state->watermark)) {
            if (judge.worth_waiting(state->watermark)) {
                choice.wait = must_wait(chooser, *view, moment.now_ms, state->watermark);
            }
            choice.candidates.push_back(judge.resume(*view, state->watermark));
        } else if (judge.is_free(record) && judge.reachable(judge.take_over(*view).floor)) {
            (mine ? own : others).push_back(judge.take_over(*view));
        } else {
            if (mine && record.state == LeaseState::released && judge.worth_waiting(record.fence) && !choice.wait) {
                choice.wait = must_wait(chooser, *view, moment.now_ms, record.fence);
            }
            const std::int64_t free_at = std::max(judge.free_at(record), reference_ms + 1);
            choice.next_free_ms = std::min(choice.next_free_ms.value_or(free_at), free_at);
        }
    }
    choice.candidates.insert(choice.candidates.end(), own.begin(), own.end());
    choice.candidates.insert(choice.candidates.end(), others.begin(), others.end());
    return choice;
}

}  // namespace frond::worker
