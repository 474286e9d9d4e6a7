#include "server/serve.hpp"

#include "base/log.hpp"
#include "server/app.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <variant>

namespace frond::server {
namespace {

using std::chrono::steady_clock;

// Signals are taken by the main thread alone, one after another, and never interrupt anything.
class Signals {
public:
    Signals() {
        sigemptyset(&set_);
        for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
        // A shell starts background jobs with SIGINT ignored, and an ignored signal is never waited for.
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGPIPE, SIG_IGN);
    }

    // The next signal.
    [[nodiscard]] int wait() const {
        int signal = 0;
        while (sigwait(&set_, &signal) != 0) {
        }
        return signal;
    }

    // The next signal that ends the process, if one comes before `patience` is over.
    [[nodiscard]] bool stop_requested_within(steady_clock::duration patience) const {
        const auto deadline = steady_clock::now() + patience;
        for (;;) {
            const auto left = std::max(deadline - steady_clock::now(), steady_clock::duration::zero());
            const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
            const timespec time{.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(left - seconds).count()};
            const int signal = sigtimedwait(&set_, nullptr, &time);
            if (signal == SIGTERM || signal == SIGINT) return true;
            if (signal < 0 && errno == EAGAIN) return false;
        }
    }

    // From now on a signal ends the process by itself.
    void let_go() const {
        std::signal(SIGHUP, SIG_IGN);
        const timespec now{};
        while (sigtimedwait(&set_, nullptr, &now) > 0) {
        }
        pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
    }

private:
    sigset_t set_{};
};

Result<void> set_up_log(const LogConfig& log) {
    const bool text = log.format == LogStyle::text || (log.format == LogStyle::automatic && isatty(STDOUT_FILENO) == 1);
    return set_up_logging(log.level, text ? LogFormat::text : LogFormat::json);
}

void reload(const ConfigSources& sources) {
    const auto loaded = load_config(sources);
    if (const auto* errors = std::get_if<ConfigErrors>(&loaded)) {
        for (const std::string& line : errors->lines) spdlog::error("reload: {}", line);
        spdlog::error("reload: nothing was changed");
        return;
    }
    const LogConfig& log = std::get<LoadedConfig>(loaded).config.log;
    if (const Result<void> set = set_log_level(log.level); !set) {
        spdlog::error("reload: {}; nothing was changed", set.error().detail);
        return;
    }
    spdlog::info("reload: the log level is {}; other settings need a restart", log.level);
}

// Waits for open connections to be answered. False when a second signal cut it short.
bool drain(App& app, const Signals& signals, const ServerConfig& config) {
    app.begin_drain();
    spdlog::info("stopping: not ready from now on, listening for another {} ms; a second signal stops at once",
                 config.drain_delay.count());
    if (signals.stop_requested_within(config.drain_delay)) return false;
    app.stop_listening();
    const auto deadline = steady_clock::now() + config.drain_timeout;
    constexpr std::chrono::milliseconds slice(20);
    constexpr std::chrono::milliseconds last_words(200);  // for the replies that say so
    while (!app.wait_idle(slice)) {
        if (steady_clock::now() >= deadline) {
            spdlog::warn("stopping: some connections are still open after {} ms, closing them",
                         config.drain_timeout.count());
            app.refuse_all();
            (void)app.wait_idle(last_words);
            break;
        }
        if (signals.stop_requested_within(std::chrono::milliseconds(0))) return false;
    }
    return true;
}

}  // namespace

int serve(const LoadedConfig& loaded, const ConfigSources& sources) {
    const Signals signals;
    if (const Result<void> log = set_up_log(loaded.config.log); !log) {
        fmt::print(stderr, "frond: {}\n", log.error().detail);
        return exit_cannot_start;
    }
    for (const std::string& note : loaded.notes) spdlog::info("{}", note);
    for (const std::string& warning : loaded.warnings) spdlog::warn("{}", warning);

    Result<std::unique_ptr<App>> made = App::make(loaded.config);
    const Result<void> started = made ? (*made)->start() : Result<void>(made.error());
    if (!started) {
        spdlog::critical("cannot start: {}", started.error().detail);
        return exit_cannot_start;
    }
    App& app = **made;
    spdlog::info("{}", app.start_line());

    for (int signal = signals.wait(); signal == SIGHUP; signal = signals.wait()) reload(sources);

    const bool in_peace = drain(app, signals, loaded.config.server);
    if (!in_peace) spdlog::warn("stopping at once: second signal");
    signals.let_go();
    // Time enough for a database that answers; one that hangs must not keep the process.
    const bool ended = app.stop(in_peace ? std::chrono::milliseconds(5000) : std::chrono::milliseconds(200));
    spdlog::info("stopped");
    if (!ended) {
        spdlog::default_logger()->flush();
        std::fflush(nullptr);
        std::_Exit(exit_stopped);
    }
    return exit_stopped;
}

}  // namespace frond::server
