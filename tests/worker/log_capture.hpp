// Collects the lines of the default logger while it lives.
#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace frond::test {

class LogCapture {
public:
    LogCapture() : before_(spdlog::default_logger()) {
        auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
        auto logger = std::make_shared<spdlog::logger>("test", std::move(sink));
        logger->set_pattern("%v");
        spdlog::set_default_logger(std::move(logger));
    }
    ~LogCapture() { spdlog::set_default_logger(before_); }
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    // How many lines hold this text. Only while no other thread logs.
    [[nodiscard]] int count(std::string_view wanted) const {
        int found = 0;
        std::istringstream lines(text_.str());
        for (std::string line; std::getline(lines, line);) found += line.find(wanted) != std::string::npos ? 1 : 0;
        return found;
    }
    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::shared_ptr<spdlog::logger> before_;
    std::ostringstream text_;
};

}  // namespace frond::test
