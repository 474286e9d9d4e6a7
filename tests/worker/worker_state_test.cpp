#include "worker/worker_state.hpp"

#include <gtest/gtest.h>

namespace frond::worker {
namespace {

WorkerState example() {
    WorkerState state;
    state.name = "frond \"näme\" / -1";
    state.registry = "static";
    state.worker_id = 39;
    state.owner = "00112233445566778899aabbccddeeff";
    state.watermark = 1'700'000'000'123;
    state.holder = {"c076f7f7-a529-4220-9ea0-f5c2c0c1e571", UINT64_MAX, UINT64_MAX - 1, 1'600'000'000'000'000'007,
                    true};
    return state;
}

Claim claim_of(const WorkerState& state) { return {state.name, state.layout, state.registry, state.holder}; }

TEST(WorkerStateText, ReadsBackWhatItWrote) {
    WorkerState state = example();
    auto parsed = parse_state(format_state(state));
    ASSERT_TRUE(parsed) << parsed.error().detail;
    EXPECT_EQ(*parsed, state);

    state.use = WorkerState::Use::released;
    state.fence = INT64_MAX;
    state.watermark = INT64_MIN;
    state.layout = *SnowflakeLayout::make(-5, 40, 0, 0);
    parsed = parse_state(format_state(state));
    ASSERT_TRUE(parsed) << parsed.error().detail;
    EXPECT_EQ(*parsed, state);
}

TEST(WorkerStateText, NoticesEveryChangedByte) {
    const std::string text = format_state(example());
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
            std::string changed = text;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            EXPECT_FALSE(parse_state(changed)) << "byte " << at << " flipped by " << flip;
        }
    }
}

TEST(WorkerStateText, NoticesEveryTruncationAndAdditions) {
    const std::string text = format_state(example());
    for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(parse_state(text.substr(0, size))) << size;
    EXPECT_FALSE(parse_state(text + "\n"));
    EXPECT_FALSE(parse_state(" " + text));
    EXPECT_FALSE(parse_state(text + text));
    EXPECT_FALSE(parse_state(std::string(text.size(), '\0')));
}

TEST(WorkerStateFloor, HoldsForItsWorkerIdWhateverWroteIt) {
    const WorkerState state = example();
    Claim claim = claim_of(state);
    EXPECT_EQ(floor_of(state, claim, 39), state.watermark);
    EXPECT_EQ(floor_of(state, claim, 38), std::nullopt);

    claim.registry = "zookeeper:a:2181/snowflake";
    claim.holder = {};
    EXPECT_EQ(floor_of(state, claim, 39), state.watermark) << "another registry and boot still give a floor";

    WorkerState released = state;
    released.use = WorkerState::Use::released;
    EXPECT_EQ(floor_of(released, claim, 39), state.watermark);
}

TEST(WorkerStateFloor, IgnoresAnotherNameOrLayout) {
    const WorkerState state = example();
    Claim claim = claim_of(state);
    EXPECT_EQ(ignored_because(state, claim), "");
    claim.name = "other";
    EXPECT_NE(ignored_because(state, claim), "");
    EXPECT_EQ(floor_of(state, claim, 39), std::nullopt);
    claim = claim_of(state);
    claim.layout = *SnowflakeLayout::make(0, 41, 10, 12);
    EXPECT_NE(ignored_because(state, claim), "");
    EXPECT_EQ(floor_of(state, claim, 39), std::nullopt);
}

TEST(WorkerStatePermission, NeedsTheVeryHolderOfAHeldState) {
    WorkerState state = example();
    state.fence = 1'700'000'900'000;
    EXPECT_TRUE(permission_of(state, claim_of(state)).resume);
    EXPECT_EQ(permission_of(state, claim_of(state)).offline_until, state.fence);

    WorkerState released = state;
    released.use = WorkerState::Use::released;
    EXPECT_TRUE(permission_of(released, claim_of(state)).resume);
    EXPECT_EQ(permission_of(released, claim_of(state)).offline_until, std::nullopt);
}

TEST(WorkerStatePermission, IsDeniedToCopies) {
    WorkerState state = example();
    state.fence = 1'700'000'900'000;
    const Claim good = claim_of(state);
    const auto denied = [&state](const Claim& claim) {
        const Permission permission = permission_of(state, claim);
        return !permission.resume && !permission.offline_until;
    };
    ASSERT_FALSE(denied(good));
    Claim claim = good;
    claim.holder = {};
    EXPECT_TRUE(denied(claim)) << "the lock was not got";
    claim = good;
    claim.holder.boot_id = "another";
    EXPECT_TRUE(denied(claim));
    claim = good;
    ++claim.holder.device;
    EXPECT_TRUE(denied(claim));
    claim = good;
    ++claim.holder.inode;
    EXPECT_TRUE(denied(claim));
    claim = good;
    ++claim.holder.birth_ns;
    EXPECT_TRUE(denied(claim));
    claim = good;
    claim.registry = "database:other";
    EXPECT_TRUE(denied(claim));
    claim = good;
    claim.name = "other";
    EXPECT_TRUE(denied(claim));
}

TEST(WorkerStatePermission, IsDeniedWhereEqualFactsProveNothing) {
    const auto allowed = [](WorkerState state) { return permission_of(state, claim_of(state)).resume; };
    WorkerState state = example();
    ASSERT_TRUE(allowed(state));
    state.holder.local = false;
    EXPECT_FALSE(allowed(state)) << "a network file system";
    state = example();
    state.holder.boot_id.clear();
    EXPECT_FALSE(allowed(state)) << "boot not known";
    state = example();
    state.holder.birth_ns = 0;
    EXPECT_FALSE(allowed(state)) << "birth time not known";
}

}  // namespace
}  // namespace frond::worker
