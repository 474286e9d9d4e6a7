// Runs a piece of a test in a process of its own.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace frond::test {

// What `body` returned in a forked child; false when the child died otherwise.
inline bool in_child(const std::function<bool()>& body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body() ? 0 : 1);
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The same without the rights of root, who may write anywhere.
inline bool in_unprivileged_child(const std::function<bool()>& body) {
    return in_child([&body] {
        constexpr unsigned nobody = 65534;
        if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) {
            return false;
        }
        return body();
    });
}

}  // namespace frond::test
