// What the lease machine steers: the thing that issues IDs. LeaseSlot in the server; the simulator has its own.
#pragma once

#include <frond/result.hpp>
#include <frond/snowflake_generator.hpp>

#include <cstdint>
#include <optional>

namespace frond::worker {

class Issuer {
public:
    virtual ~Issuer() = default;

    // Begins to issue under a new lease, without trouble. Only while none is held.
    virtual void open(const SnowflakeGenerator::Options& options) = 0;

    // Raises the limit of the lease that is held; a lower value, or no lease, changes nothing.
    virtual void raise_limit(std::int64_t limit_ms) = 0;

    // Ends the lease for good: nobody gets an ID from it after this has returned. Returns the highest timestamp that it
    // ever used, or its floor if none; nothing when no lease was held. `why` is the trouble from now on.
    virtual std::optional<std::int64_t> close(Error why) = 0;

    // Why IDs cannot be had, or soon cannot, although a lease may be held; for readiness and replies.
    virtual void set_trouble(std::optional<Error> trouble) = 0;
};

}  // namespace frond::worker
