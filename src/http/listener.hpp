// One listening socket of one I/O thread: takes connections and starts a coroutine for each. Lives on that thread.
#pragma once

#include "http/io_thread.hpp"
#include "http/shared.hpp"
#include "http/sockets.hpp"

namespace frond::http {

class Listener {
public:
    // `acceptor` listens and does not block. `group` outlives the listener.
    Listener(Acceptor acceptor, ListenerGroup& group, IoThread& thread);
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    void start();
    // Takes what is in the queue of connections, then closes: a client that the kernel has let in is answered. When the
    // whole server stops, closes at once.
    void close();

private:
    enum class Accepted : std::uint8_t { one, none, out_of_resources };

    void wait();
    void pause();
    Accepted accept_some(std::size_t at_most);
    Accepted accept_one();
    void admit(Socket socket);
    void note_failure(const ErrorCode& error);
    void note_success();

    Acceptor acceptor_;
    Timer pause_;
    ListenerGroup& group_;
    IoThread& thread_;
    bool failing_ = false;
};

}  // namespace frond::http
