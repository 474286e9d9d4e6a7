// A private MariaDB server in a temporary folder, on a free port of 127.0.0.1 and a socket. It ends with the object,
// and with the test program whatever happens.
#pragma once

#include "support/temp_folder.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace frond::test {

// Not thread-safe. Errors: exceptions of type std::runtime_error.
class MariadbServer {
public:
    // Starts at once; `extra` are arguments of mariadbd.
    explicit MariadbServer(std::vector<std::string> extra = {});
    MariadbServer(const MariadbServer&) = delete;
    MariadbServer& operator=(const MariadbServer&) = delete;
    ~MariadbServer();

    // The one that tests share; started when first used. Tests leave it running.
    static MariadbServer& shared();

    void start();
    // kill -9, as a crash.
    void kill();
    void pause();
    void resume();

    // Runs a statement as root, in `database` if there is one.
    void execute(const std::string& sql, const std::string& database = "") const;
    // The same; cell `column` of the first row.
    [[nodiscard]] std::string ask(const std::string& sql, const std::string& database = "",
                                  std::size_t column = 0) const;
    // Makes a database and a user `frond` with the password `password` who may do everything in it; returns its name.
    std::string new_database();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string socket() const;
    // As `frond`, over TCP.
    [[nodiscard]] std::string url(const std::string& database) const;

    static constexpr const char* password = "p;w}x'q\\\"= %";  // everything that a connection string could trip over

private:
    void signal(int number) const;

    const std::vector<std::string> extra_;
    TempFolder folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = -1;
    int databases_ = 0;
};

}  // namespace frond::test
