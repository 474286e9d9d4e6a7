// Liveness, readiness and start-up of the process, and the endpoints that show them.
#pragma once

#include "api/endpoint.hpp"
#include "segment/service.hpp"
#include "snowflake/service.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace frond::api {

// One mode as /readyz shows it.
struct ModeHealth {
    std::string name;
    bool ready = false;
    std::string reason;  // why not, or a warning while ready
};

// What is known about the process's health. Thread-safe.
class Health {
public:
    // A mode that is off is null. Services outlive this.
    Health(const segment::SegmentService* segment, const snowflake::SnowflakeService* snowflake)
        : segment_(segment), snowflake_(snowflake) {}

    // Whether start-up has finished: each enabled mode has looked at its store or registry once, well or not. Stays
    // true.
    [[nodiscard]] bool started() const;
    // Whether the Service should send requests here: started, not draining, and some enabled mode can issue.
    [[nodiscard]] bool ready() const;
    [[nodiscard]] bool draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
    void begin_drain() noexcept { draining_.store(true, std::memory_order_relaxed); }

    // The enabled modes.
    [[nodiscard]] std::vector<ModeHealth> modes() const;

private:
    const segment::SegmentService* const segment_;
    const snowflake::SnowflakeService* const snowflake_;
    mutable std::atomic<bool> started_{false};
    std::atomic<bool> draining_{false};
};

// GET, HEAD /livez and /healthz: 200 while the process works, whatever database and registry do.
class LiveEndpoint final : public Endpoint {
public:
    bool try_answer(const Call& call, http::Reply& reply) override;
};

// GET, HEAD /startupz
class StartupEndpoint final : public Endpoint {
public:
    explicit StartupEndpoint(const Health& health) : health_(health) {}
    bool try_answer(const Call& call, http::Reply& reply) override;

private:
    const Health& health_;
};

// GET, HEAD /readyz, /readyz?verbose, and /readyz/{mode}
class ReadyEndpoint final : public Endpoint {
public:
    explicit ReadyEndpoint(const Health& health) : health_(health) {}
    bool try_answer(const Call& call, http::Reply& reply) override;

private:
    void answer_mode(const Call& call, http::Reply& reply) const;

    const Health& health_;
};

}  // namespace frond::api
