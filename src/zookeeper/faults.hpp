// What ZooKeeper's error codes mean for a registry. The one place that tells them apart. Pure; thread-safe.
#pragma once

#include "worker/registry.hpp"

#include <string_view>

namespace frond::zookeeper {

// What was asked of the server when it failed.
enum class Effect {
    none,    // a read, or a write whose repetition does no harm and is ours to repeat
    create,  // of a node under a parent
    change   // of a node that is there: set, delete
};

// `code` is not ZOK. The call was handed to a handle that was connected shortly before; so whatever does not prove that
// the server refused it counts as `unknown` where it had an effect.
[[nodiscard]] worker::RegistryFault fault_of(int code, Effect effect) noexcept;

// The error, with a sentence: what was tried on which path, and what to do when that is known.
[[nodiscard]] worker::RegistryError error_of(int code, Effect effect, std::string_view action, std::string_view path);

}  // namespace frond::zookeeper
