#include "worker/static_keeper.hpp"

#include "base/units.hpp"
#include "worker/random_id.hpp"
#include "worker/watermark.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace frond::worker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_retry{250};
constexpr milliseconds last_retry{4'000};
constexpr milliseconds idle{1'000};  // nothing to move
constexpr milliseconds settle{10'000};

constexpr const char* registry_name = "static";

SnowflakeGenerator::Options lease_options(const StartRule& rule, std::int64_t worker_id,
                                          std::optional<std::int64_t> floor, std::int64_t limit_ms) {
    return {rule.layout, worker_id, rule.max_ahead_ms, floor.value_or(INT64_MIN), limit_ms};
}

}  // namespace

StaticKeeper::StaticKeeper(Options options, StateFile* file, LeaseSlot& slot, KeeperMetrics& metrics)
    : options_(std::move(options)),
      file_(file),
      slot_(slot),
      metrics_(metrics),
      log_("Snowflake mode", settle),
      retry_(first_retry) {}

Result<void> StaticKeeper::start(std::function<Moment()> /*now*/, std::function<void()> /*changed*/) {
    const SnowflakeLayout& layout = options_.rule.layout;
    if (options_.worker_id < 0 || options_.worker_id > layout.max_worker_id()) {
        return Error(errc::invalid_configuration,
                     fmt::format("snowflake.worker_id is {}; with snowflake.worker_bits = {} it must be 0 to {}",
                                 options_.worker_id, layout.worker_bits(), layout.max_worker_id()));
    }
    if (file_ == nullptr) return {};
    auto locked = file_->lock();
    if (locked || locked.error().code != errc::invalid_configuration) return {};
    return Error(errc::invalid_configuration,
                 fmt::format("snowflake.state_dir: {}. With snowflake.registry = \"static\" that process may be using "
                             "worker ID {} too: stop it, or give this one a state_dir and a worker_id of its own",
                             locked.error().detail, options_.worker_id));
}

milliseconds StaticKeeper::step(const Moment& moment) {
    const milliseconds wait = step_phase(moment);
    settled_.store(true, std::memory_order_release);
    return wait;
}

milliseconds StaticKeeper::step_phase(const Moment& moment) {
    switch (phase_.load(std::memory_order_relaxed)) {
        case Phase::opening:
            return open(moment);
        case Phase::waiting:
            return wait(moment);
        case Phase::holding:
            return hold(moment);
        case Phase::stopped:
            break;
    }
    return idle;
}

milliseconds StaticKeeper::open(const Moment& moment) {
    if (file_ == nullptr) {
        not_before_ = moment.steady + milliseconds(options_.rule.max_clock_skew_ms);
        spdlog::warn(
            "Snowflake mode: worker ID {} has no state file (snowflake.state_dir is empty), so the first ID "
            "waits {} for IDs of an earlier process to be past; a clock set back by more is not noticed",
            options_.worker_id, format_duration(milliseconds(options_.rule.max_clock_skew_ms)));
    } else if (auto read = read_file(moment); !read) {
        return not_yet("state file", std::move(read.error()));
    }
    phase_ = Phase::waiting;
    retry_ = first_retry;
    return wait(moment);
}

Result<void> StaticKeeper::read_file(const Moment& moment) {
    if (auto locked = file_->lock(); !locked) {
        // Clients may see the reason, so that the path goes to the log alone.
        log_.report("state file", locked.error().detail);
        return Error(errc::worker_unavailable, "the state directory cannot be locked");
    }
    auto loaded = file_->load();
    if (!loaded) return Error(errc::worker_unavailable, std::move(loaded.error().detail));
    take_over(*loaded, moment);
    return {};
}

// Draws the conclusions from what an earlier process wrote.
void StaticKeeper::take_over(const LoadedState& loaded, const Moment& moment) {
    if (!file_->holder().local) {
        spdlog::warn(
            "Snowflake mode: the state directory is not on a file system known to be local; only on one is "
            "its lock sure to keep a second process away");
    }
    if (!loaded.damage.empty()) {
        // What it forbade is lost, so this is a start without a state file.
        not_before_ = moment.steady + milliseconds(options_.rule.max_clock_skew_ms);
        spdlog::warn(
            "Snowflake mode: the state file is damaged and ignored ({}); the first ID waits {} for IDs of an "
            "earlier process to be past",
            loaded.damage, format_duration(milliseconds(options_.rule.max_clock_skew_ms)));
        return;
    }
    if (!loaded.state) {
        spdlog::info("Snowflake mode: no state file yet, worker ID {} starts at the clock", options_.worker_id);
        return;
    }
    floor_ = floor_of(*loaded.state, claim(), options_.worker_id);
    if (floor_) return;
    auto why = ignored_because(*loaded.state, claim());
    if (why.empty()) why = fmt::format("it belongs to worker ID {}", loaded.state->worker_id);
    spdlog::warn("Snowflake mode: the state file is ignored and replaced: {}", why);
}

milliseconds StaticKeeper::wait(const Moment& moment) {
    if (moment.steady < not_before_) {
        const auto left = std::chrono::ceil<milliseconds>(not_before_ - moment.steady);
        slot_.set_trouble(Error(errc::worker_unavailable,
                                fmt::format("no state file tells which IDs were used before; first ID in {}",
                                            format_duration(std::chrono::ceil<std::chrono::seconds>(left)))));
        return std::min(left, idle);
    }
    auto refused = refuse_start(options_.rule, moment.now_ms, floor_);
    if (!refused) return begin(moment);
    const auto retry = not_yet("clock", std::move(*refused));
    const std::int64_t allowed_at = floor_ ? start_allowed_at(options_.rule, *floor_) : INT64_MAX;
    const bool soon = allowed_at > moment.now_ms && allowed_at < later(moment.now_ms, retry.count());
    return soon ? milliseconds(allowed_at - moment.now_ms) : retry;
}

milliseconds StaticKeeper::begin(const Moment& moment) {
    std::int64_t limit_ms = INT64_MAX;
    if (file_ != nullptr) {
        limit_ms = next_watermark(floor_.value_or(INT64_MIN), moment.now_ms, options_.rule.max_ahead_ms, INT64_MAX);
        state_ = {options_.name,      options_.rule.layout, registry_name,
                  options_.worker_id, random_id(),          WorkerState::Use::held,
                  limit_ms,           std::nullopt,         file_->holder()};
        if (auto stored = store(); !stored) return not_yet("state file", std::move(stored.error()));
    }
    committed_ms_ = limit_ms;
    slot_.open(lease_options(options_.rule, options_.worker_id, floor_, limit_ms));
    phase_ = Phase::holding;
    log_.clear();
    spdlog::info("Snowflake mode: ready, worker ID {}", options_.worker_id);
    return file_ == nullptr ? idle : watermark_interval(options_.rule.max_ahead_ms);
}

milliseconds StaticKeeper::hold(const Moment& moment) {
    auto trouble = refuse_time(options_.rule.layout, moment.now_ms);
    if (trouble) {
        log_.report("clock", trouble->detail);
    } else if (file_ != nullptr) {
        trouble = move_watermark(moment);
    } else {
        log_.report_none(moment.steady);
    }
    slot_.set_trouble(std::move(trouble));
    return file_ == nullptr ? idle : watermark_interval(options_.rule.max_ahead_ms);
}

// Invariant 5: the limit is raised only to what is certainly on disk.
std::optional<Error> StaticKeeper::move_watermark(const Moment& moment) {
    const std::int64_t overtaken_ms = moment.now_ms - committed_ms_;
    const std::int64_t target = next_watermark(committed_ms_, moment.now_ms, options_.rule.max_ahead_ms, INT64_MAX);
    if (target > committed_ms_) {
        state_.watermark = target;
        if (auto stored = store(); !stored) {
            auto sentence = stored.error().detail + "; no ID is made above the last watermark";
            log_.report("state file", sentence);
            return Error(errc::worker_unavailable, std::move(sentence));
        }
        committed_ms_ = target;
        slot_.raise_limit(target);
    }
    if (overtaken_ms > 0) {
        log_.report("slow state file",
                    fmt::format("the state file was written {} ms late, no ID could be made meanwhile", overtaken_ms));
    } else {
        log_.report_none(moment.steady);
    }
    return std::nullopt;
}

Result<void> StaticKeeper::store() {
    auto stored = file_->store(state_, Sync::yes);
    if (stored) {
        metrics_.watermark_ms.set(state_.watermark);
    } else {
        metrics_.state_file_errors.add();
    }
    return stored;
}

milliseconds StaticKeeper::not_yet(const std::string& kind, Error why) {
    if (why.code == errc::store_unavailable) why.code = errc::worker_unavailable;
    log_.report(kind, why.detail);
    slot_.set_trouble(std::move(why));
    return std::exchange(retry_, std::min(retry_ * 2, last_retry));
}

Claim StaticKeeper::claim() const { return {options_.name, options_.rule.layout, registry_name, file_->holder()}; }

bool StaticKeeper::release(milliseconds /*patience*/) {
    const auto last = slot_.close(Error(errc::draining, "the server is stopping"));
    const bool mark = last && file_ != nullptr;
    phase_ = Phase::stopped;
    if (!mark) return true;
    state_.use = WorkerState::Use::released;
    state_.watermark = *last;
    if (auto stored = store(); !stored) {
        // Harmless: the next start finds the higher watermark.
        spdlog::warn("Snowflake mode: the state file could not be marked released: {}", stored.error().detail);
    }
    return true;
}

}  // namespace frond::worker
