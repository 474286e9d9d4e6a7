#include "worker/registry_call.hpp"

#include <utility>

namespace frond::worker {
namespace {

template <class T>
RegistryReply reply_of(RegistryResult<T> result) {
    return std::visit([](auto&& value) -> RegistryReply { return std::forward<decltype(value)>(value); },
                      std::move(result));
}

}  // namespace

RegistryReply perform(WorkerRegistry& registry, const RegistryCall& call) {
    struct Performer {
        WorkerRegistry& registry;
        RegistryReply operator()(const SurveyCall&) const { return reply_of(registry.survey()); }
        RegistryReply operator()(const CreateCall& call) const { return reply_of(registry.create(call.record)); }
        RegistryReply operator()(const WriteCall& call) const {
            return reply_of(registry.write(call.number, call.version, call.record));
        }
        RegistryReply operator()(const ReadCall& call) const { return reply_of(registry.read(call.number)); }
        RegistryReply operator()(const FindCall& call) const { return reply_of(registry.find(call.created)); }
    };
    return std::visit(Performer{registry}, call);
}

}  // namespace frond::worker
