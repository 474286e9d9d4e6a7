// The coroutine type of the I/O threads.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace frond {

// The concrete executor: the type-erased one costs an allocation per operation.
using Executor = boost::asio::io_context::executor_type;

// A coroutine that lives on one I/O thread. g++ 12 destroys some temporaries of a co_await expression twice (GCC
// 107288): lambdas, aggregates and lists are named before the co_await, never created inside it.
template <class T>
using awaitable = boost::asio::awaitable<T, Executor>;

inline constexpr boost::asio::use_awaitable_t<Executor> use_awaitable{};

}  // namespace frond
