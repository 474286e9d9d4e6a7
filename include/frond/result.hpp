// Result<T>: a value or an Error, for failures that are to be expected. A small stand-in for C++23's std::expected.
// As thread-safe as T. Accessing the side that is not there is undefined, as with std::optional.
#pragma once

#include <frond/errc.hpp>

#include <string>
#include <utility>
#include <variant>

namespace frond {

// What went wrong: a code to act on and a sentence for people. `detail` may be empty.
struct Error {
    errc code;
    std::string detail;

    Error(errc error_code) : code(error_code) {}  // NOLINT(google-explicit-constructor): a code is an error
    Error(errc error_code, std::string text) : code(error_code), detail(std::move(text)) {}
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)
    Result(errc code) : state_(std::in_place_index<1>, Error(code)) {}         // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() & noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] const T& value() const& noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
    T& operator*() & noexcept { return value(); }
    const T& operator*() const& noexcept { return value(); }
    T* operator->() noexcept { return &value(); }
    const T* operator->() const noexcept { return &value(); }

    [[nodiscard]] Error& error() & noexcept { return *std::get_if<1>(&state_); }
    [[nodiscard]] const Error& error() const& noexcept { return *std::get_if<1>(&state_); }

private:
    std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
    Result(errc code) : state_(Error(code)) {}         // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] Error& error() & noexcept { return *std::get_if<1>(&state_); }
    [[nodiscard]] const Error& error() const& noexcept { return *std::get_if<1>(&state_); }

private:
    std::variant<std::monostate, Error> state_;
};

}  // namespace frond
