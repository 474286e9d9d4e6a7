#include "segment/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <boost/crc.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

namespace frond::segment {
namespace {

// Rewriting waits for this many lines, so that small files are not rewritten all the time.
constexpr std::size_t lines_worth_a_rewrite = 1000;

std::uint32_t checksum(std::string_view text) {
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    return crc.checksum();
}

std::string line_of(std::string_view key, const JournalEntry& entry) {
    const std::string body = fmt::format("{} {} {} {}", entry.end, entry.accepted, entry.last_used_ms, key);
    return fmt::format("{:08x} {}\n", checksum(body), body);
}

// Cuts the number at the front of `text`, and the blank after it.
template <class Number>
bool cut_number(std::string_view& text, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    return true;
}

// Whether a line has the checksum that it names at its front.
bool is_whole(std::string_view line) {
    std::uint32_t crc = 0;
    return cut_number(line, crc, 16) && crc == checksum(line);
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

int open_for_append(const std::filesystem::path& file, int flags) {
    return ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | flags, 0600);
}

Error cannot(const std::filesystem::path& file, std::string_view verb) {
    return {errc::invalid_configuration, fmt::format("cannot {} {}: {}; make the state folder writable for this user",
                                                     verb, file.string(), std::strerror(errno))};
}

}  // namespace

Journal::Journal(std::filesystem::path file, std::string identity)
    : file_(std::move(file)), identity_(std::move(identity)) {}

Journal::~Journal() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::string Journal::header() const {
    const std::string body = fmt::format("frond-segments 1 {}", identity_);
    return fmt::format("{:08x} {}", checksum(body), body);
}

std::string Journal::file_name(std::string_view identity) {
    return fmt::format("segments-{:08x}.journal", checksum(identity));
}

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& file, std::string identity) {
    std::unique_ptr<Journal> journal(new Journal(file, std::move(identity)));
    if (Result<void> loaded = journal->load(); !loaded) return loaded.error();
    if (!journal->rewrite()) return cannot(file, "write");
    return journal;
}

Result<void> Journal::load() {
    errno = 0;
    std::ifstream stream(file_, std::ios::binary);
    if (!stream) {
        if (errno == ENOENT) return {};
        return cannot(file_, "read");
    }
    std::string text;
    std::array<char, 65536> block{};
    while (stream.read(block.data(), block.size()), stream.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) return cannot(file_, "read");
    std::string_view rest = text;
    bool first = true;
    while (!rest.empty()) {
        const std::size_t length = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, length);
        rest.remove_prefix(std::min(length + 1, rest.size()));
        if (first) {
            first = false;
            if (line == header()) continue;
            if (is_whole(line)) return {};  // another database: its numbers say nothing here
            ++damaged_;                     // every other line vouches for itself
        } else if (!line.empty() && !load_line(line)) {
            ++damaged_;
        }
    }
    return {};
}

bool Journal::load_line(std::string_view line) {
    if (!is_whole(line)) return false;
    line.remove_prefix(line.find(' ') + 1);
    JournalEntry entry;
    if (!cut_number(line, entry.end) || !cut_number(line, entry.accepted) || !cut_number(line, entry.last_used_ms)) {
        return false;
    }
    entries_.insert_or_assign(std::string(line), entry);
    return true;
}

JournalEntry Journal::find(std::string_view key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(std::string(key));
    return found == entries_.end() ? JournalEntry{} : found->second;
}

std::vector<std::string> Journal::used_since(std::int64_t since_ms, std::size_t limit) const {
    std::vector<std::pair<std::int64_t, std::string>> recent;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, entry] : entries_) {
            if (entry.last_used_ms >= since_ms) recent.emplace_back(entry.last_used_ms, key);
        }
    }
    std::sort(recent.begin(), recent.end(), std::greater<>());
    recent.resize(std::min(recent.size(), limit));
    std::vector<std::string> keys;
    keys.reserve(recent.size());
    for (auto& [used, key] : recent) keys.push_back(std::move(key));
    return keys;
}

bool Journal::record(std::string_view key, const JournalEntry& entry) {
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(std::string(key), entry);
    const bool mostly_old = lines_ >= lines_worth_a_rewrite && lines_ >= 2 * entries_.size();
    if ((mostly_old || torn_) && rewrite()) return true;
    // The rest of a line that was cut short must not swallow the next one.
    std::string line = line_of(key, entry);
    if (torn_) line.insert(line.begin(), '\n');
    torn_ = descriptor_ < 0 || !write_all(descriptor_, line);
    if (!torn_) ++lines_;
    return !torn_;
}

bool Journal::rewrite() {
    std::string text = header() + "\n";
    for (const auto& [key, entry] : entries_) text += line_of(key, entry);

    const std::filesystem::path temporary = file_.string() + ".new";
    const int fresh = open_for_append(temporary, O_TRUNC);
    if (fresh < 0) return false;
    if (!write_all(fresh, text) || ::rename(temporary.c_str(), file_.c_str()) != 0) {
        ::close(fresh);
        return false;
    }
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = fresh;  // goes on under the new name
    lines_ = entries_.size();
    torn_ = false;
    return true;
}

}  // namespace frond::segment
