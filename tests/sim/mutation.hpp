// Ways to break the protocol between the machine and its world, each against one invariant of the design. They show
// that the simulation would notice.
#pragma once

#include "worker/registry_call.hpp"
#include "worker/worker_state.hpp"

#include <frond/snowflake_generator.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frond::sim {

enum class Mutation : std::uint8_t {
    none,
    any_version,          // 1: heartbeat and release overwrite whatever version the record has
    attempted_fence,      // 2: IDs up to the fence of a write that is only under way
    no_floor,             // 2: a lease begins at the clock, not above what was found
    release_to_zero,      // 3: a release lowers the fence to 0
    lower_while_issuing,  // 3: a heartbeat lowers the fence in the record, and IDs go on up to the old one
    unknown_is_written,   // 4: a write without an answer is taken for done
    store_not_stored,     // 5: a new watermark counts though the file was not written
    beyond_watermark,     // 5: IDs up to the fence whatever the watermark
    release_unmarked,     // 5: the fence is lowered though the file does not say released
    split_take,           // 6: a close between a taker's look and its exchange goes unnoticed
    owner_is_proof,       // 4: a record with our owner in it is taken for ours, though a copy of our memory wrote it
    copied_file,          // state file: a copied directory counts as the original
};

struct MutationName {
    Mutation mutation;
    std::string_view name;
    int invariant;  // 0: none of the six, a rule of the state file
};

inline constexpr std::array<MutationName, 12> mutations{{{Mutation::any_version, "any_version", 1},
                                                         {Mutation::attempted_fence, "attempted_fence", 2},
                                                         {Mutation::no_floor, "no_floor", 2},
                                                         {Mutation::release_to_zero, "release_to_zero", 3},
                                                         {Mutation::lower_while_issuing, "lower_while_issuing", 3},
                                                         {Mutation::unknown_is_written, "unknown_is_written", 4},
                                                         {Mutation::store_not_stored, "store_not_stored", 5},
                                                         {Mutation::beyond_watermark, "beyond_watermark", 5},
                                                         {Mutation::release_unmarked, "release_unmarked", 5},
                                                         {Mutation::split_take, "split_take", 6},
                                                         {Mutation::owner_is_proof, "owner_is_proof", 4},
                                                         {Mutation::copied_file, "copied_file", 0}}};

// None when there is no such mutation; "none" is one.
[[nodiscard]] std::optional<Mutation> find_mutation(std::string_view name);
[[nodiscard]] std::string_view name_of(Mutation mutation);

// Stands at every crossing between machine and world; with Mutation::none it lets all pass as it is. A value.
class Seam {
public:
    explicit Seam(Mutation mutation) noexcept : mutation_(mutation) {}

    // A call that the machine makes; `holding`: while it holds a lease, so that a write is a heartbeat or a release.
    void alter_call(worker::RegistryCall& call, bool holding) const;
    // Whether the registry is not to compare versions.
    [[nodiscard]] bool overwrites(const worker::RegistryCall& call, bool holding) const;
    // The limit that IDs get when a call is sent, and when it is confirmed; none: the machine says.
    [[nodiscard]] std::optional<std::int64_t> limit_when_sent(const worker::RegistryCall& call, bool holding,
                                                              bool state_file) const;
    [[nodiscard]] std::optional<std::int64_t> limit_when_confirmed(const worker::RegistryCall& call,
                                                                   const worker::RegistryReply& reply,
                                                                   bool state_file) const;
    // The last write or creation that was sent.
    struct LastWrite {
        std::string owner;
        std::string write;
    };
    // A reply on its way to the machine.
    void alter_reply(const worker::RegistryCall& call, worker::RegistryReply& reply, const LastWrite& last) const;
    // Whether the state is written over the present one before it is reported as stored.
    [[nodiscard]] bool stores(const worker::WorkerState& state,
                              const std::optional<worker::WorkerState>& present) const;
    void alter_lease(SnowflakeGenerator::Options& options) const;
    [[nodiscard]] bool splits_takes() const noexcept { return mutation_ == Mutation::split_take; }
    [[nodiscard]] bool trusts_copies() const noexcept { return mutation_ == Mutation::copied_file; }

private:
    Mutation mutation_;
};

}  // namespace frond::sim
