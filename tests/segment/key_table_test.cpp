#include "segment/key_table.hpp"

#include "segment/key_entry.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace frond::segment {
namespace {

std::string name(int i) { return "key " + std::to_string(i); }

TEST(KeyTable, FindsWhatWasInserted) {
    KeyTable table;
    EXPECT_EQ(table.find("key 0"), nullptr);
    for (int i = 0; i < 10'000; ++i) table.insert(std::make_shared<KeyEntry>(name(i)));
    for (int i = 0; i < 10'000; ++i) {
        ASSERT_NE(table.find(name(i)), nullptr) << i;
        ASSERT_EQ(table.find(name(i))->key, name(i));
    }
    EXPECT_EQ(table.find("key"), nullptr);
    EXPECT_EQ(table.find(""), nullptr);
    EXPECT_EQ(table.all().size(), 10'000U);
}

TEST(KeyTable, ReplacesAnEntryAndKeepsTheOldOneAlive) {
    KeyTable table;
    for (int i = 0; i < 100; ++i) table.insert(std::make_shared<KeyEntry>(name(i)));
    KeyEntry* const old = table.find(name(7));
    const auto fresh = std::make_shared<KeyEntry>(name(7));
    table.insert(fresh);
    EXPECT_EQ(table.find(name(7)), fresh.get());
    EXPECT_EQ(table.all().size(), 100U);
    EXPECT_EQ(old->key, name(7)) << "pointers found stay good";
}

TEST(KeyTable, IsReadWhileItGrows) {
    constexpr int keys = 5000;
    KeyTable table;
    std::atomic<int> inserted{0};
    std::vector<std::thread> threads;
    for (int reader = 0; reader < 3; ++reader) {
        threads.emplace_back([&] {
            while (inserted < 2 * keys) {
                const int known = inserted.load();
                for (int i = known > keys ? 0 : std::max(0, known - 50); i < std::min(known, keys); ++i) {
                    const KeyEntry* entry = table.find(name(i));
                    ASSERT_NE(entry, nullptr);
                    ASSERT_EQ(entry->key, name(i));
                }
            }
        });
    }
    for (int i = 0; i < 2 * keys; ++i) {  // the second half replaces
        table.insert(std::make_shared<KeyEntry>(name(i % keys)));
        ++inserted;
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(table.all().size(), static_cast<std::size_t>(keys));
}

TEST(KeyTable, TakesInsertsFromManyThreads) {
    KeyTable table;
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 4; ++writer) {
        threads.emplace_back([&table, writer] {
            for (int i = 0; i < 1000; ++i) table.insert(std::make_shared<KeyEntry>(name(i * 4 + writer)));
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 4000; ++i) ASSERT_NE(table.find(name(i)), nullptr);
}

}  // namespace
}  // namespace frond::segment
