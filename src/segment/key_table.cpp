#include "segment/key_table.hpp"

#include "segment/key_entry.hpp"

#include <utility>

namespace frond::segment {

KeyTable::KeyTable() {
    tables_.push_back(std::make_unique<Table>(64));
    table_.store(tables_.back().get(), std::memory_order_release);
}

KeyTable::~KeyTable() = default;

// The slot that holds `key`, or the free one where it belongs.
std::atomic<KeyEntry*>& KeyTable::place(Table& table, std::string_view key) noexcept {
    const std::size_t mask = table.slots.size() - 1;
    for (std::size_t i = std::hash<std::string_view>()(key) & mask;; i = (i + 1) & mask) {
        const KeyEntry* entry = table.slots[i].load(std::memory_order_acquire);
        if (entry == nullptr || entry->key == key) return table.slots[i];
    }
}

KeyEntry* KeyTable::find(std::string_view key) const noexcept {
    return place(*table_.load(std::memory_order_acquire), key).load(std::memory_order_acquire);
}

void KeyTable::insert(std::shared_ptr<KeyEntry> entry) {
    const std::lock_guard lock(mutex_);
    if (2 * (size_ + 1) > tables_.back()->slots.size()) grow();
    std::atomic<KeyEntry*>& slot = place(*tables_.back(), entry->key);
    if (slot.load(std::memory_order_relaxed) == nullptr) ++size_;
    owned_.push_back(std::move(entry));
    slot.store(owned_.back().get(), std::memory_order_release);
}

void KeyTable::grow() {
    Table& old = *tables_.back();
    auto larger = std::make_unique<Table>(old.slots.size() * 2);
    for (const auto& slot : old.slots) {
        KeyEntry* entry = slot.load(std::memory_order_relaxed);
        if (entry != nullptr) place(*larger, entry->key).store(entry, std::memory_order_relaxed);
    }
    tables_.push_back(std::move(larger));
    table_.store(tables_.back().get(), std::memory_order_release);
}

std::vector<KeyEntry*> KeyTable::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<KeyEntry*> entries;
    entries.reserve(size_);
    for (const auto& slot : tables_.back()->slots) {
        if (KeyEntry* entry = slot.load(std::memory_order_relaxed)) entries.push_back(entry);
    }
    return entries;
}

}  // namespace frond::segment
