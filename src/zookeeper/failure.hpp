// How failures travel inside this room: thrown where they are found, and turned into results at its edge.
#pragma once

#include "worker/registry.hpp"

#include <exception>
#include <string>
#include <utility>

namespace frond::zookeeper {

class Failure final : public std::exception {
public:
    explicit Failure(worker::RegistryError error) : error_(std::move(error)) {}
    Failure(worker::RegistryFault fault, std::string detail) : error_{fault, std::move(detail)} {}

    [[nodiscard]] const worker::RegistryError& error() const noexcept { return error_; }
    [[nodiscard]] const char* what() const noexcept override { return error_.detail.c_str(); }

private:
    worker::RegistryError error_;
};

// Runs the body; what it throws becomes the error. `otherwise`: the fault of what is no Failure (memory is short).
template <class Body>
auto answer(worker::RegistryFault otherwise, Body body) noexcept -> worker::RegistryResult<decltype(body())> {
    try {
        return body();
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const std::exception& error) {
        return worker::RegistryError{otherwise, error.what()};
    }
}

}  // namespace frond::zookeeper
