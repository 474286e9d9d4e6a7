// What the tests of this room share: a clock to move, waiting for conditions, captured log lines, a temporary folder.
#pragma once

#include "base/clock.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace frond::segment {

// The machine's clocks, moved ahead by as much as a test says. Thread-safe.
class MovedClock final : public Clock {
public:
    void move(std::chrono::milliseconds by) { offset_ += by.count(); }
    [[nodiscard]] WallTime wall() const noexcept override { return machine_.wall() + offset(); }
    [[nodiscard]] SteadyTime steady() const noexcept override { return machine_.steady() + offset(); }

private:
    [[nodiscard]] std::chrono::milliseconds offset() const noexcept { return std::chrono::milliseconds(offset_); }

    SystemClock machine_;
    std::atomic<std::int64_t> offset_{0};
};

// Waits until `condition()` holds; false when it does not within half a minute.
template <class Condition>
bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

// Catches what is logged while it lives.
class LogCapture {
public:
    LogCapture() : sink_(std::make_shared<Sink>()), before_(spdlog::default_logger()) {
        spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink_));
    }
    ~LogCapture() { spdlog::set_default_logger(before_); }
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    // How many lines hold `text`.
    [[nodiscard]] long count(std::string_view text) const { return sink_->count(text); }

private:
    class Sink final : public spdlog::sinks::base_sink<std::mutex> {
    public:
        long count(std::string_view text) {
            const std::lock_guard lock(mutex_);
            return std::count_if(lines_.begin(), lines_.end(),
                                 [text](const std::string& line) { return line.find(text) != std::string::npos; });
        }

    protected:
        void sink_it_(const spdlog::details::log_msg& message) override {
            lines_.emplace_back(message.payload.data(), message.payload.size());
        }
        void flush_() override {}

    private:
        std::vector<std::string> lines_;
    };

    std::shared_ptr<Sink> sink_;
    std::shared_ptr<spdlog::logger> before_;
};

// A folder of its own for one test, removed at the end.
class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "frond-segment-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    [[nodiscard]] std::filesystem::path file(const char* name) const { return path_ / name; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace frond::segment
