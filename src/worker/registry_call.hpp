// Calls of a WorkerRegistry and their replies as values: what the lease machine asks for, whoever carries it out.
#pragma once

#include "worker/registry.hpp"

#include <cstdint>
#include <variant>

namespace frond::worker {

struct SurveyCall {};
struct CreateCall {
    LeaseRecord record;
};
struct WriteCall {
    std::int64_t number;
    std::int64_t version;
    LeaseRecord record;
};
struct ReadCall {
    std::int64_t number;
};
struct FindCall {
    LeaseRecord created;
};

using RegistryCall = std::variant<SurveyCall, CreateCall, WriteCall, ReadCall, FindCall>;

// RegistryError, or what the call returns.
using RegistryReply = std::variant<RegistryError, Survey, Created, Written, Found>;

// Carries the call out; blocks as it does.
[[nodiscard]] RegistryReply perform(WorkerRegistry& registry, const RegistryCall& call);

}  // namespace frond::worker
