// Collects the lines of the default logger while it lives.
#pragma once

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace frond::test {

// count() and text() from any thread, also while others log.
class LogCapture {
public:
    LogCapture() : before_(spdlog::default_logger()), sink_(std::make_shared<Sink>()) {
        auto logger = std::make_shared<spdlog::logger>("test", sink_);
        logger->set_pattern("%v");
        spdlog::set_default_logger(std::move(logger));
    }
    ~LogCapture() { spdlog::set_default_logger(before_); }
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    // How many lines hold this text.
    [[nodiscard]] int count(std::string_view wanted) const {
        int found = 0;
        std::istringstream lines(text());
        for (std::string line; std::getline(lines, line);) found += line.find(wanted) != std::string::npos ? 1 : 0;
        return found;
    }
    [[nodiscard]] std::string text() const { return sink_->text(); }

private:
    class Sink final : public spdlog::sinks::base_sink<std::mutex> {
    public:
        std::string text() {
            const std::lock_guard lock(mutex_);
            return text_;
        }

    private:
        void sink_it_(const spdlog::details::log_msg& message) override {
            spdlog::memory_buf_t line;
            formatter_->format(message, line);
            text_.append(line.data(), line.size());
        }
        void flush_() override {}

        std::string text_;
    };

    std::shared_ptr<spdlog::logger> before_;
    std::shared_ptr<Sink> sink_;
};

}  // namespace frond::test
