// What the machine steers in a simulation: real generators, whose takers may be slow.
#pragma once

#include "sim/checker.hpp"
#include "sim/mutation.hpp"
#include "worker/issuer.hpp"

#include <frond/snowflake_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace frond::sim {

// Used by one thread, though takers stand for many: between look() and take() anything may happen.
class SimIssuer final : public worker::Issuer {
public:
    // `instance`: 0 to most_instances - 1.
    SimIssuer(const Seam& seam, int instance) : seam_(seam), instance_(instance) {}

    void open(const SnowflakeGenerator::Options& options) override;
    void raise_limit(std::int64_t limit_ms) override;
    std::optional<std::int64_t> close(Error why) override;
    void set_trouble(std::optional<Error> trouble) override { trouble_ = std::move(trouble); }

    // What a taker has seen: a lease, which may be closed by the time it takes.
    struct Look {
        std::size_t lease;
        std::uint64_t next;  // the tick then
    };
    // None while no lease is held.
    [[nodiscard]] std::optional<Look> look() const;
    [[nodiscard]] std::optional<TickRun> take(const Look& look, std::int64_t now_ms, std::uint64_t count);

    [[nodiscard]] std::uint64_t max_take(const Look& look) const { return leases_[look.lease].generator->max_take(); }
    [[nodiscard]] std::int64_t worker_id(const Look& look) const { return leases_[look.lease].worker_id; }
    [[nodiscard]] bool open_now() const noexcept { return held_; }
    [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }

private:
    struct Lease {
        std::unique_ptr<SnowflakeGenerator> generator;  // closed ones stay: a slow taker may be looking at one
        std::int64_t worker_id;
        std::uint64_t next = 0;  // one after the last tick
    };
    [[nodiscard]] std::optional<TickRun> take_unseen_close(const Look& look, std::int64_t now_ms, std::uint64_t count);

    const Seam& seam_;
    const int instance_;
    std::vector<Lease> leases_;
    bool held_ = false;
    std::optional<Error> trouble_;
};

}  // namespace frond::sim
