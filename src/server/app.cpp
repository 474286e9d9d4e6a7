#include "server/app.hpp"

#include "api/openapi.hpp"
#include "http/descriptors.hpp"
#include "server/cores.hpp"
#include "server/registries.hpp"
#include "server/stores.hpp"
#include "server/version.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/static_keeper.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace frond::server {
namespace {

// A database that is met for the first time in a folder that guards others may be one of them under a new address: a
// replica after a fail-over, a restored copy. Only the operator can know.
void warn_of_other_guards(const std::filesystem::path& own, const std::string& identity) {
    std::error_code ignored;
    if (std::filesystem::exists(own, ignored)) return;
    for (const auto& entry : std::filesystem::directory_iterator(own.parent_path(), ignored)) {
        if (!entry.path().filename().string().starts_with("segments-")) continue;
        spdlog::warn(
            "no guard file for {} yet, but one of another database ({}): if this is the same data at a new address, "
            "a copy that lagged would repeat numbers; `frond key raise --all --by N` puts it above them",
            identity, entry.path().filename().string());
        return;
    }
}

api::AccessLog access_log(AccessLog setting) {
    switch (setting) {
        case AccessLog::sampled:
            return api::AccessLog::sampled;
        case AccessLog::all:
            return api::AccessLog::all;
        case AccessLog::off:
            break;
    }
    return api::AccessLog::off;
}

http::Limits limits_of(const ServerConfig& config) {
    return {.header_limit = static_cast<std::size_t>(config.header_limit),
            .target_limit = static_cast<std::size_t>(config.target_limit),
            .body_limit = static_cast<std::size_t>(config.body_limit),
            .max_connections = static_cast<std::size_t>(config.max_connections),
            .request_timeout = config.request_timeout,
            .idle_timeout = config.idle_timeout};
}

}  // namespace

Result<std::unique_ptr<App>> App::make(const Config& config) {
    std::unique_ptr<App> app(new App(config));
    if (!config.snowflake.state_dir.empty()) {
        app->state_directory_ = std::make_unique<worker::StateDirectory>(config.snowflake.state_dir);
    }
    if (Result<void> opened = app->open_segment(); !opened) return opened.error();
    if (Result<void> opened = app->open_snowflake(); !opened) return opened.error();
    if (Result<void> bound = app->bind(); !bound) return bound.error();
    return app;
}

App::App(const Config& config) : config_(config) {}

App::~App() = default;

Result<void> App::open_segment() {
    if (!config_.segment.enabled) return {};
    Result<std::shared_ptr<sql::Database>> database = make_database(config_);
    if (!database) return database.error();
    store_ = std::make_unique<sql::SqlSegmentStore>(std::move(*database));
    // A database that is away now is waited for; one that can never work ends the start.
    const Result<void> usable = store_->check();
    if (!usable && usable.error().code == errc::invalid_configuration) return usable.error();

    std::unique_ptr<segment::Journal> journal;
    if (state_directory_ && state_directory_->locked()) {
        const std::filesystem::path file = state_directory_->path() / segment::Journal::file_name(store_->identity());
        warn_of_other_guards(file, store_->identity());
        auto opened = segment::Journal::open(file, store_->identity());
        if (!opened) return opened.error();
        journal = std::move(*opened);
        if (journal->damaged() > 0) {
            spdlog::warn("{} damaged lines in {} were ignored", journal->damaged(), file.string());
        }
    } else {
        spdlog::warn("segment mode runs without a guard file: {}",
                     state_directory_ ? state_directory_->trouble() : "snowflake.state_dir is empty");
    }
    segment_ = std::make_unique<segment::SegmentService>(
        *store_, clock_, segment_metrics_, std::move(journal),
        segment::SegmentOptions{.refresh_interval = config_.segment.refresh_interval,
                                .refill_timeout = config_.segment.refill_timeout,
                                .max_waiters = static_cast<std::size_t>(config_.segment.max_waiters),
                                .store_threads = static_cast<std::size_t>(config_.databases.front().pool_size),
                                .max_batch = config_.server.max_batch});
    return {};
}

Result<void> App::open_snowflake() {
    const SnowflakeConfig& config = config_.snowflake;
    if (!config.enabled) {
        snowflake_off_ = "snowflake.enabled is false";
        return {};
    }
    const Result<SnowflakeLayout> layout = config.layout();
    if (!layout) return layout.error();
    if (state_directory_) state_file_ = std::make_unique<worker::JsonStateFile>(*state_directory_);
    if (Result<void> opened = open_keeper(); !opened) return opened;
    snowflake_ = std::make_unique<snowflake::SnowflakeService>(
        snowflake::SnowflakeOptions{
            .layout = *layout,
            .max_ahead = config.max_ahead,
            .clock_agreement = std::max(config.max_clock_skew, std::chrono::milliseconds(1'000)),
            .state_file = state_file_ != nullptr,
            .refill_timeout = config_.segment.refill_timeout,
            .on_clock_rollback = config.on_clock_rollback == ClockRollback::reject ? snowflake::ClockRollback::reject
                                                                                   : snowflake::ClockRollback::hold},
        clock_, lease_slot_, *keeper_, snowflake_metrics_);
    return {};
}

Result<void> App::open_keeper() {
    const SnowflakeConfig& config = config_.snowflake;
    if (config.registry == Registry::fixed) {
        const worker::StartRule rule{*config.layout(), config.max_ahead.count(), config.max_clock_skew.count()};
        keeper_ =
            std::make_unique<worker::StaticKeeper>(worker::StaticKeeper::Options{config.name, rule, *config.worker_id},
                                                   state_file_.get(), lease_slot_, snowflake_metrics_.keeper);
        return {};
    }
    const Instance instance = instance_of(config_, look_around());
    Result<worker::LeaseOptions> options = lease_options(config_, instance);
    if (!options) return options.error();
    auto registry = make_worker_registry(config_, instance);
    if (!registry) return registry.error();
    registry_ = std::move(*registry);
    keeper_ = std::make_unique<worker::LeaseKeeper>(std::move(*options), *registry_, state_file_.get(), lease_slot_,
                                                    snowflake_metrics_.keeper);
    return {};
}

Result<void> App::bind() {
    const Result<SnowflakeLayout> layout = config_.snowflake.layout();
    if (!layout) return layout.error();
    const auto max_batch = static_cast<std::uint64_t>(config_.server.max_batch);
    health_.emplace(segment_.get(), snowflake_.get());
    metric_sources_.emplace(api::MetricSources{.version = version(),
                                               .health = *health_,
                                               .http = http_metrics_,
                                               .segment = segment_ ? &segment_metrics_ : nullptr,
                                               .snowflake = snowflake_ ? &snowflake_metrics_ : nullptr,
                                               .leased = registry_ != nullptr,
                                               .dispatchers = {}});
    endpoints_.emplace(api::Endpoints{.segment = api::SegmentEndpoint(segment_.get(), max_batch),
                                      .snowflake = api::SnowflakeEndpoint(
                                          snowflake_.get(), "Snowflake mode is switched off on this server", max_batch),
                                      .decode = api::DecodeEndpoint(*layout),
                                      .bounds = api::BoundsEndpoint(*layout),
                                      .leaf_decode = api::LeafDecodeEndpoint(*layout),
                                      .live = api::LiveEndpoint(),
                                      .ready = api::ReadyEndpoint(*health_),
                                      .startup = api::StartupEndpoint(*health_),
                                      .metrics = api::MetricsEndpoint(*metric_sources_),
                                      .openapi = api::DocumentEndpoint("application/yaml", api::openapi_document())});
    std::function<std::int64_t()> clock;
    if (snowflake_) clock = [service = snowflake_.get()] { return service->now_ms(); };
    id_port_.emplace(std::move(clock), access_log(config_.server.access_log));
    management_port_.emplace(nullptr, api::AccessLog::off);
    api::add_id_routes(*id_port_, *endpoints_);
    api::add_management_routes(*management_port_, *endpoints_);
    metric_sources_->dispatchers = {&*id_port_, &*management_port_};

    // Room for the database, files and both ports beside the connections.
    constexpr std::int64_t other_descriptors = 100;
    const std::size_t descriptors = http::raise_descriptor_limit();
    if (descriptors < static_cast<std::size_t>(config_.server.max_connections + other_descriptors)) {
        spdlog::warn("server.max_connections is {}, but the process may open only {} descriptors (ulimit -n)",
                     config_.server.max_connections, descriptors);
    }
    const auto threads = config_.server.threads > 0 ? static_cast<std::size_t>(config_.server.threads) : usable_cores();
    server_.emplace(threads, limits_of(config_.server), http_metrics_);
    Result<std::vector<std::string>> ids = server_->listen({config_.server.listen, &*id_port_});
    if (!ids) return Error(ids.error().code, "server.listen: " + ids.error().detail);
    id_addresses_ = std::move(*ids);
    Result<std::vector<std::string>> management =
        server_->listen({config_.server.management_listen, &*management_port_});
    if (!management) return Error(management.error().code, "server.management_listen: " + management.error().detail);
    management_addresses_ = std::move(*management);
    return {};
}

Result<void> App::start() {
    if (snowflake_) {
        if (Result<void> started = snowflake_->start(); !started) return started;
    }
    if (segment_) segment_->start();
    server_->start();
    return {};
}

std::string App::start_line() const {
    const std::string segment = segment_ ? fmt::format("segment mode on ({})", store_->identity())
                                         : std::string("segment mode off (segment.enabled is false)");
    return fmt::format("frond {} listens on {}, management on {}; {}; {}", version(), fmt::join(id_addresses_, ", "),
                       fmt::join(management_addresses_, ", "), segment, snowflake_line());
}

std::string App::snowflake_line() const {
    if (!snowflake_) return fmt::format("snowflake mode off ({})", snowflake_off_);
    const snowflake::Status status = snowflake_->status();
    const std::string held = status.ready ? fmt::format("worker ID {}", status.worker_id) : status.reason;
    if (!registry_) return fmt::format("snowflake mode on ({}, static)", held);
    const bool one_file =
        config_.snowflake.registry == Registry::database && lease_database(config_)->url.starts_with("sqlite:");
    return fmt::format("snowflake mode on ({}, leased from {}{})", held, registry_->describe(),
                       one_file ? "; unique only among processes that share this file" : "");
}

void App::begin_drain() {
    health_->begin_drain();
    server_->begin_drain();
}

void App::stop_listening() { server_->stop_listening(); }

bool App::wait_idle(std::chrono::milliseconds patience) { return server_->wait_idle(patience); }

void App::refuse_all() { id_port_->refuse_all(); }

bool App::stop(std::chrono::milliseconds patience) {
    server_->stop();
    const bool ended = !segment_ || segment_->stop(patience);
    const bool released = !snowflake_ || snowflake_->stop(patience);
    return ended && released;
}

}  // namespace frond::server
