// The composition root: every object of the server, made here by hand, started and stopped in order.
#pragma once

#include "api/dispatcher.hpp"
#include "api/health.hpp"
#include "api/metrics.hpp"
#include "api/routes.hpp"
#include "base/clock.hpp"
#include "http/server.hpp"
#include "segment/service.hpp"
#include "server/config.hpp"
#include "snowflake/service.hpp"
#include "sql/segment_store.hpp"
#include "worker/keeper.hpp"
#include "worker/lease_slot.hpp"
#include "worker/registry.hpp"
#include "worker/state_directory.hpp"
#include "worker/state_file.hpp"

#include <frond/result.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace frond::server {

// Used by the main thread alone.
class App {
public:
    // Builds everything, binds the ports, starts nothing. errc::invalid_configuration, with a sentence that names the
    // setting, when the server cannot start as configured. `config` is copied where needed.
    static Result<std::unique_ptr<App>> make(const Config& config);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    // Starts the services, then the I/O threads. Errors as make().
    Result<void> start();
    // The line that says where and what is served.
    [[nodiscard]] std::string start_line() const;

    // The steps of a graceful stop, in this order.
    void begin_drain();
    void stop_listening();
    // True when no connection is open; waits at most `patience`.
    bool wait_idle(std::chrono::milliseconds patience);
    // From now on every request is answered 503 DRAINING.
    void refuse_all();
    // Closes what is still open, hands ranges back, releases the worker ID. False when a call to the database hangs:
    // the process must then end without destroying the app.
    bool stop(std::chrono::milliseconds patience);

private:
    explicit App(const Config& config);
    Result<void> open_segment();
    Result<void> open_snowflake();
    Result<void> open_keeper();
    [[nodiscard]] std::string snowflake_line() const;
    Result<void> bind();

    const Config config_;
    const SystemClock clock_;

    std::unique_ptr<worker::StateDirectory> state_directory_;
    std::unique_ptr<worker::StateFile> state_file_;

    std::unique_ptr<sql::SqlSegmentStore> store_;
    segment::SegmentMetrics segment_metrics_;
    std::unique_ptr<segment::SegmentService> segment_;

    snowflake::SnowflakeMetrics snowflake_metrics_;
    worker::LeaseSlot lease_slot_;
    std::unique_ptr<worker::WorkerRegistry> registry_;  // null with a static worker ID
    std::unique_ptr<worker::Keeper> keeper_;
    std::unique_ptr<snowflake::SnowflakeService> snowflake_;
    std::string snowflake_off_;  // why Snowflake mode is off; empty while on

    http::ServerMetrics http_metrics_;
    std::optional<api::Health> health_;
    std::optional<api::MetricSources> metric_sources_;
    std::optional<api::Endpoints> endpoints_;
    std::optional<api::Dispatcher> id_port_;
    std::optional<api::Dispatcher> management_port_;
    std::optional<http::Server> server_;
    std::vector<std::string> id_addresses_;
    std::vector<std::string> management_addresses_;
};

}  // namespace frond::server
