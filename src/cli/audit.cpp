#include "cli/audit.hpp"

#include "base/log.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace frond::cli {
namespace {

// Who runs the process; with sudo, also who asked for it.
std::string user_name() {
    const uid_t id = ::geteuid();
    const passwd* user = ::getpwuid(id);
    std::string name = user != nullptr ? user->pw_name : fmt::format("{}", id);
    const char* sudo_user = std::getenv("SUDO_USER");
    return sudo_user == nullptr || *sudo_user == '\0' ? name : fmt::format("{} (sudo by {})", name, sudo_user);
}

}  // namespace

void audit(const server::LogConfig& log, std::string_view what) {
    const bool text = log.format == server::LogStyle::text ||
                      (log.format == server::LogStyle::automatic && ::isatty(STDOUT_FILENO) == 1);
    (void)set_up_logging("warning", text ? LogFormat::text : LogFormat::json);  // the level is a known word
    spdlog::warn("audit: user {} {}", user_name(), what);
}

}  // namespace frond::cli
