// All keys that have been used: looked up without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace frond::segment {

struct KeyEntry;

// A hash table with open addressing over atomic pointers. find() takes no lock and may run beside insert(); entries and
// outgrown tables live as long as the table itself, so that a pointer found is good for ever. That costs at most twice
// the present table, and an entry for each time that a removed key came back.
class KeyTable {
public:
    KeyTable();
    ~KeyTable();
    KeyTable(const KeyTable&) = delete;
    KeyTable& operator=(const KeyTable&) = delete;

    // The entry of a key, or null. Any thread.
    [[nodiscard]] KeyEntry* find(std::string_view key) const noexcept;
    // Adds an entry, or puts it in the place of one with the same key. Any thread.
    void insert(std::shared_ptr<KeyEntry> entry);
    // The entries that find() can return, as of now. Any thread.
    [[nodiscard]] std::vector<KeyEntry*> all() const;

private:
    struct Table {
        explicit Table(std::size_t capacity) : slots(capacity) {}
        std::vector<std::atomic<KeyEntry*>> slots;  // a power of two, at most half full
    };
    static std::atomic<KeyEntry*>& place(Table& table, std::string_view key) noexcept;
    void grow();

    std::atomic<Table*> table_;
    mutable std::mutex mutex_;  // of insert() and all()
    std::vector<std::unique_ptr<Table>> tables_;
    std::vector<std::shared_ptr<KeyEntry>> owned_;
    std::size_t size_ = 0;
};

}  // namespace frond::segment
