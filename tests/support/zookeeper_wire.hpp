// As much of ZooKeeper's protocol as it takes to end somebody else's session.
#pragma once

#include <cstdint>
#include <string>

namespace frond::test {

// Connects to 127.0.0.1:port, sends the bytes and reads until the other side closes or is silent for a second. Empty
// when nothing answers. Blocks; thread-safe.
[[nodiscard]] std::string exchange(std::uint16_t port, const std::string& bytes);

// What a client sends that takes over a session and closes it at once. The password is made from the session's number
// as the server makes it.
[[nodiscard]] std::string closing_words(std::int64_t session);

}  // namespace frond::test
