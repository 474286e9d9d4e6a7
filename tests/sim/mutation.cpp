#include "sim/mutation.hpp"

namespace frond::sim {
namespace {

using worker::LeaseState;
using worker::RegistryCall;
using worker::RegistryReply;
using worker::WriteCall;

// Heartbeat or release, if the call is one.
const WriteCall* renewal(const RegistryCall& call, bool holding) {
    const auto* write = std::get_if<WriteCall>(&call);
    return write != nullptr && (holding || write->record.state == LeaseState::released) ? write : nullptr;
}

bool unknown(const RegistryReply& reply) {
    const auto* error = std::get_if<worker::RegistryError>(&reply);
    return error != nullptr && error->fault == worker::RegistryFault::unknown;
}

}  // namespace

std::optional<Mutation> find_mutation(std::string_view name) {
    if (name == "none") return Mutation::none;
    for (const auto& known : mutations) {
        if (known.name == name) return known.mutation;
    }
    return std::nullopt;
}

std::string_view name_of(Mutation mutation) {
    for (const auto& known : mutations) {
        if (known.mutation == mutation) return known.name;
    }
    return "none";
}

void Seam::alter_call(RegistryCall& call, bool holding) const {
    auto* write = std::get_if<WriteCall>(&call);
    if (write == nullptr) return;
    const bool release = write->record.state == LeaseState::released;
    if (mutation_ == Mutation::release_to_zero && release) write->record.fence = 0;
    if (mutation_ == Mutation::lower_while_issuing && holding && !release)
        write->record.fence = write->record.timestamp;
}

bool Seam::overwrites(const RegistryCall& call, bool holding) const {
    return mutation_ == Mutation::any_version && renewal(call, holding) != nullptr;
}

std::optional<std::int64_t> Seam::limit_when_sent(const RegistryCall& call, bool holding, bool state_file) const {
    const WriteCall* write = renewal(call, holding);
    // With a state file the watermark is the limit, and this mutation is not about that.
    if (mutation_ != Mutation::attempted_fence || write == nullptr || state_file) return std::nullopt;
    return write->record.fence;
}

std::optional<std::int64_t> Seam::limit_when_confirmed(const RegistryCall& call, const RegistryReply& reply,
                                                       bool state_file) const {
    const auto* write = std::get_if<WriteCall>(&call);
    if (mutation_ != Mutation::beyond_watermark || write == nullptr || !state_file) return std::nullopt;
    if (!std::holds_alternative<worker::Written>(reply)) return std::nullopt;
    return write->record.fence;
}

void Seam::alter_reply(const RegistryCall& call, RegistryReply& reply, const LastWrite& last) const {
    if (mutation_ == Mutation::owner_is_proof) {
        auto* found = std::get_if<worker::Found>(&reply);
        if (found != nullptr && *found && (*found)->record && (*found)->record->owner == last.owner) {
            (*found)->record->write = last.write;
        }
        return;
    }
    const auto* write = std::get_if<WriteCall>(&call);
    if (mutation_ != Mutation::unknown_is_written || write == nullptr || !unknown(reply)) return;
    reply = worker::Written{write->version + 1, std::nullopt};
}

bool Seam::stores(const worker::WorkerState& state, const std::optional<worker::WorkerState>& present) const {
    if (mutation_ == Mutation::release_unmarked) return state.use != worker::WorkerState::Use::released;
    return mutation_ != Mutation::store_not_stored || !present || present->owner != state.owner;
}

void Seam::alter_lease(SnowflakeGenerator::Options& options) const {
    if (mutation_ == Mutation::no_floor) options.floor_ms = INT64_MIN;
}

}  // namespace frond::sim
