#include "base/log.hpp"

#include "base/json_text.hpp"
#include "base/units.hpp"

#include <fmt/format.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace frond {
namespace {

constexpr std::array<std::pair<std::string_view, spdlog::level::level_enum>, 6> levels{{
    {"trace", spdlog::level::trace},
    {"debug", spdlog::level::debug},
    {"info", spdlog::level::info},
    {"warning", spdlog::level::warn},
    {"error", spdlog::level::err},
    {"off", spdlog::level::off},
}};

Result<spdlog::level::level_enum> level_of(std::string_view name) {
    for (const auto& [word, level] : levels) {
        if (word == name) return level;
    }
    return Error(errc::invalid_configuration,
                 fmt::format("log level '{}' is none of trace, debug, info, warning, error, off", name));
}

std::string time_of(const spdlog::details::log_msg& message) {
    return format_rfc3339(std::chrono::floor<std::chrono::milliseconds>(message.time).time_since_epoch().count());
}

std::string_view level_name(const spdlog::details::log_msg& message) {
    const auto name = spdlog::level::to_string_view(message.level);
    return {name.data(), name.size()};
}

void append(spdlog::memory_buf_t& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

// {"ts":"2019-09-06T01:35:00.834Z","level":"info","msg":"…"}
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        std::string line = fmt::format(R"({{"ts":"{}","level":"{}","msg":)", time_of(message), level_name(message));
        append_json_string(line, {message.payload.data(), message.payload.size()});
        line += "}\n";
        append(out, line);
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }
};

// 2019-09-06T01:35:00.834Z info    …
class TextFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        std::string line = fmt::format("{} {:<7} ", time_of(message), level_name(message));
        // One event a line, and no terminal sequences: a message may hold what a client sent.
        for (const char c : std::string_view(message.payload.data(), message.payload.size())) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte < 0x20 || byte == 0x7F) {
                fmt::format_to(std::back_inserter(line), "\\x{:02x}", byte);
            } else {
                line += c;
            }
        }
        line += '\n';
        append(out, line);
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<TextFormatter>();
    }
};

std::unique_ptr<spdlog::formatter> formatter_of(LogFormat format) {
    if (format == LogFormat::json) return std::make_unique<JsonFormatter>();
    return std::make_unique<TextFormatter>();
}

}  // namespace

Result<void> set_up_logging(std::string_view level, LogFormat format) {
    const auto threshold = level_of(level);
    if (!threshold) return threshold.error();
    auto logger = std::make_shared<spdlog::logger>("frond", std::make_shared<spdlog::sinks::stdout_sink_mt>());
    logger->set_formatter(formatter_of(format));
    logger->set_level(*threshold);
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
    return {};
}

Result<void> set_log_level(std::string_view level) {
    const auto threshold = level_of(level);
    if (!threshold) return threshold.error();
    spdlog::set_level(*threshold);
    return {};
}

}  // namespace frond
