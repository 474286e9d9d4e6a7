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
#include <utility>
#include <vector>

namespace frond::sim {

// Used by one thread, though takers stand for many: between look() and take() anything may happen.
class SimIssuer final : public worker::Issuer {
public:
    // `instance`: 0 to most_instances - 1.
    SimIssuer(const Seam& seam, int instance) : seam_(seam), instance_(instance) {}
    // A copy of the memory: it issues from where `original` is, at the next ms.
    SimIssuer(const SimIssuer& original, int instance);
    SimIssuer(const SimIssuer&) = delete;
    SimIssuer& operator=(const SimIssuer&) = delete;

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
    [[nodiscard]] std::int64_t worker_id(const Look& look) const { return leases_[look.lease].options.worker_id; }
    [[nodiscard]] const std::optional<Error>& trouble() const noexcept { return trouble_; }

private:
    struct Lease {
        SnowflakeGenerator::Options options;
        std::unique_ptr<SnowflakeGenerator> generator;  // closed ones stay: a slow taker may be looking at one
        std::uint64_t next = 0;                         // one after the last tick
    };
    void make_generator(const SnowflakeGenerator::Options& options);
    [[nodiscard]] std::optional<TickRun> take_unseen_close(const Look& look, std::int64_t now_ms, std::uint64_t count);

    const Seam& seam_;
    const int instance_;
    std::vector<Lease> leases_;
    bool held_ = false;
    std::optional<Error> trouble_;
};

// What a machine holds on to when its memory is copied: machine and copy speak to the same one, which passes on to the
// issuer of whoever runs.
class IssuerSwitch final : public worker::Issuer {
public:
    void lead_to(SimIssuer& issuer) noexcept { present_ = &issuer; }

    void open(const SnowflakeGenerator::Options& options) override { present_->open(options); }
    void raise_limit(std::int64_t limit_ms) override { present_->raise_limit(limit_ms); }
    std::optional<std::int64_t> close(Error why) override { return present_->close(std::move(why)); }
    void set_trouble(std::optional<Error> trouble) override { present_->set_trouble(std::move(trouble)); }

private:
    SimIssuer* present_ = nullptr;
};

}  // namespace frond::sim
