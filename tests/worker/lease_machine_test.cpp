#include "worker/lease_machine.hpp"

#include "base/units.hpp"
#include "worker/lease_machine_fixture.hpp"

namespace frond::worker {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t window = 900'000;

// ---- taking

class LeaseTaking : public LeaseMachineFixture {};

TEST_F(LeaseTaking, MakesANewNumberOnAnEmptyRegistry) {
    const LeaseRecord made = lease();
    EXPECT_EQ(made.identity, "me");
    EXPECT_EQ(made.port, "8080");
    EXPECT_EQ(made.timestamp, start_ms);
    EXPECT_EQ(made.fence, start_ms + window);
    EXPECT_EQ(made.state, LeaseState::held);
    EXPECT_EQ(made.space, options_.space);
    EXPECT_TRUE(machine_->issuing());
    EXPECT_EQ(slot_.current()->worker_id(), 0);
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + window);
    EXPECT_EQ(take(), start_ms);
}

TEST_F(LeaseTaking, AReleasedRecordIsTakenAboveItsFence) {
    add_record(4, record("other", start_ms + 500, LeaseState::released));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto write = expect<WriteCall>();
    EXPECT_EQ(write.number, 4);
    EXPECT_EQ(write.version, 5);
    EXPECT_EQ(write.record.fence, start_ms + window);
    reply(Written{6, std::nullopt});
    EXPECT_EQ(slot_.current()->worker_id(), 4);
    EXPECT_EQ(take(), start_ms + 501);
}

TEST_F(LeaseTaking, AHeldRecordWhoseFenceIsPastIsTakenAboveFenceAndSkew) {
    add_record(4, record("other", start_ms - 10'001, LeaseState::held));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    reply(Written{6, std::nullopt});
    EXPECT_EQ(slot_.current()->last_timestamp_ms(), start_ms - 1) << "the floor is fence + max_clock_skew";
}

TEST_F(LeaseTaking, AConflictGoesToTheNextAndThenToANewNumber) {
    add_record(1, record("a", start_ms, LeaseState::released));
    add_record(2, record("b", start_ms, LeaseState::released));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto first = expect<WriteCall>();
    fail(RegistryFault::conflict);
    const auto second = expect<WriteCall>();
    EXPECT_NE(first.number, second.number);
    EXPECT_NE(first.record.owner, second.record.owner);
    fail(RegistryFault::conflict);
    (void)expect<CreateCall>();
    reply(Created{3, 0, std::nullopt});
    EXPECT_EQ(slot_.current()->worker_id(), 3);
}

TEST_F(LeaseTaking, AnUnknownCreateIsLookedForAndNotRepeated) {
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto create = expect<CreateCall>();
    fail(RegistryFault::unknown);
    EXPECT_FALSE(machine_->next_call(now())) << "not at once";
    const auto find = await<FindCall>();
    EXPECT_EQ(find.created, create.record);
    fail(RegistryFault::unavailable);
    (void)await<FindCall>();
    reply(Found(RecordView{7, 0, start_ms, create.record, "record-7", {}}));
    ASSERT_TRUE(machine_->issuing());
    EXPECT_EQ(slot_.current()->worker_id(), 7);
}

TEST_F(LeaseTaking, AnUnknownCreateThatOthersHaveTakenSinceIsNotOurs) {
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    LeaseRecord other = expect<CreateCall>().record;
    fail(RegistryFault::unknown);
    (void)await<FindCall>();
    other.write = "somebody else's";
    reply(Found(RecordView{7, 1, start_ms, other, "record-7", {}}));
    EXPECT_FALSE(machine_->holding());
    (void)expect<SurveyCall>();
}

TEST_F(LeaseTaking, AnUnknownTakeOverCountsOnlyByItsWrite) {
    add_record(4, record("other", start_ms, LeaseState::released));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto write = expect<WriteCall>();
    fail(RegistryFault::unknown);
    EXPECT_FALSE(machine_->holding());
    (void)await<ReadCall>();
    reply(Found(records_[0]));  // not done, or not yet
    EXPECT_FALSE(machine_->holding());
    (void)expect<SurveyCall>();
    reply(survey());
    const auto again = expect<WriteCall>();
    EXPECT_NE(again.record.write, write.record.write);
    fail(RegistryFault::unknown);
    (void)await<ReadCall>();
    reply(Found(RecordView{4, 6, start_ms, again.record, "record-4", {}}));
    EXPECT_TRUE(machine_->issuing());
}

TEST_F(LeaseTaking, AllLeasedSaysHowManyAndWhenTheNextIsFree) {
    options_.space = *make_space({}, 0, 1);
    name_.space = options_.space;
    add_record(0, record("other", start_ms + 60'000, LeaseState::held));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    EXPECT_FALSE(machine_->holding());
    EXPECT_EQ(trouble(), "all 1 worker IDs of frond are leased; next one free at 2023-11-14T22:14:30.001Z");
    advance(70'001ms);
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    reply(Written{6, std::nullopt});
    EXPECT_TRUE(machine_->issuing());
}

TEST_F(LeaseTaking, ARefusedClockIsSaidAndTriedAgain) {
    registry_offset_ms_ = 60'000;
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    EXPECT_EQ(slot_.trouble()->code, errc::clock_rollback);
    EXPECT_NE(trouble().find("60000 ms ahead"), std::string::npos) << trouble();
    registry_offset_ms_ = 0;
    (void)await<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
}

TEST_F(LeaseTaking, AContradictionIsSaidAndTriedAgain) {
    name_.space = *make_space({}, 8, 8);
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    EXPECT_EQ(slot_.trouble()->code, errc::worker_unavailable);
    EXPECT_NE(trouble().find("offset 8, limit 8"), std::string::npos) << trouble();
    name_.space = options_.space;
    (void)await<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
}

TEST_F(LeaseTaking, TheFloorOfTheNameBindsANewNumber) {
    name_.floor = start_ms + 700;
    lease();
    EXPECT_EQ(take(), start_ms + 701);
}

TEST_F(LeaseTaking, AFloorAheadOfTheClockIsWaitedForWhileTheLeaseIsKept) {
    name_.floor = start_ms + 7'000;
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
    reply(Created{0, 0, std::nullopt});
    EXPECT_TRUE(machine_->holding());
    EXPECT_FALSE(machine_->issuing());
    EXPECT_EQ(slot_.trouble()->code, errc::clock_rollback);
    advance(3'000ms);
    (void)expect<WriteCall>();  // the heartbeat
    reply(Written{1, std::nullopt});
    EXPECT_FALSE(machine_->issuing());
    advance(3'000ms);
    EXPECT_TRUE(machine_->issuing());
}

// By a clock that was ahead the record seemed free; mended, it cannot be waited for.
TEST_F(LeaseTaking, ALeaseWhoseFloorIsOutOfReachIsGivenUp) {
    registry_offset_ms_.reset();
    const std::int64_t hour = 3'600'000;
    add_record(4, record("other", start_ms + hour, LeaseState::released));
    now_ms_ += 2 * hour;
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    now_ms_ -= 2 * hour;
    reply(Written{6, std::nullopt});
    EXPECT_FALSE(machine_->issuing());
    machine_->observe(now());
    EXPECT_EQ(slot_.trouble()->code, errc::clock_rollback);
    const auto back = expect<WriteCall>();
    EXPECT_EQ(back.record.state, LeaseState::released);
    EXPECT_EQ(back.record.fence, start_ms + hour) << "as it was found";
    reply(Written{7, std::nullopt});
    EXPECT_FALSE(machine_->holding());
    (void)await<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
}

// A jump while the first ID waits for its floor would put the new time into the record, and into the IDs.
TEST_F(LeaseTaking, AClockThatMovesBeforeTheFirstIdGivesTheLeaseBack) {
    add_record(4, record("other", start_ms + 5'000, LeaseState::released));
    registry_offset_ms_ = 5'000;
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    reply(Written{6, RegistryClock{now_ms_ + 5'000, now().steady}});
    EXPECT_FALSE(machine_->issuing()) << "the floor is 5 s ahead";
    now_ms_ += 3'600'000;
    machine_->observe(now());
    EXPECT_FALSE(machine_->issuing());
    const auto back = expect<WriteCall>();
    EXPECT_EQ(back.record.state, LeaseState::released);
    EXPECT_EQ(back.record.fence, start_ms + 5'000);
    reply(Written{7, std::nullopt});
    (void)await<SurveyCall>();
}

// With a state that is being written the record must stay as it is: the file may be trusted later.
TEST_F(LeaseTaking, AClockThatMovesDuringTheFirstStoreEndsTheLease) {
    access_ = {true, std::nullopt, holder()};
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
    reply(Created{0, 0, RegistryClock{now_ms_, now().steady}});
    ASSERT_TRUE(machine_->next_store(now()));
    now_ms_ += 3'600'000;
    steady_ms_ += 3'000;
    (void)expect<SurveyCall>();
    EXPECT_FALSE(machine_->holding());
    machine_->store_done(now(), {});
    EXPECT_FALSE(machine_->issuing());
}

TEST_F(LeaseTaking, AClockThatMovesBetweenLookAndTakeIsLookedAtAgain) {
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    now_ms_ += 3'600'000;
    registry_offset_ms_ = -3'600'000;
    (void)expect<SurveyCall>();
    reply(survey());
    EXPECT_EQ(slot_.trouble()->code, errc::clock_rollback);
}

// `frond worker raise` puts the floor minutes ahead: no number may be used up while it is waited for.
TEST_F(LeaseTaking, AFloorFarAheadTakesNothing) {
    name_.floor = start_ms + 900'000;
    start();
    int surveys = 0;
    while (now_ms_ < start_ms + 889'000) {
        if (const auto call = machine_->next_call(now())) {
            ASSERT_TRUE(std::holds_alternative<SurveyCall>(*call));
            reply(survey());
            ++surveys;
        }
        advance(100ms);
    }
    EXPECT_LT(surveys, 400);
    EXPECT_NE(trouble().find("frond worker raise"), std::string::npos) << trouble();
    (void)await<SurveyCall>();
    advance(2'000ms);
    reply(survey());
    (void)expect<CreateCall>();
}

TEST_F(LeaseTaking, ANumberBeyondTheLimitIsNeverUsed) {
    options_.space = *make_space({}, 0, 8);
    name_.space = options_.space;
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto create = expect<CreateCall>();
    fail(RegistryFault::unknown);
    (void)await<FindCall>();
    reply(Found(RecordView{8, 0, start_ms, create.record, "record-8", {}}));
    EXPECT_FALSE(machine_->holding());
    (void)await<SurveyCall>();
}

TEST_F(LeaseTaking, RetriesStartAtAQuarterOfASecondHoweverLongTheHeartbeat) {
    options_.heartbeat = 3'600'000ms;
    options_.fence_window = 36'000'000ms;
    lease();
    advance(3'600'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::unavailable);
    advance(313ms);
    EXPECT_TRUE(machine_->next_call(now()));
}

// A copy of this machine's memory may have released the record in our name.
TEST_F(LeaseTaking, ANumberTakenAgainBeginsAboveWhatThisProcessUsedOfIt) {
    lease();
    advance(2'000ms);
    const std::int64_t used = take();
    advance(1'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::conflict);
    (void)expect<ReadCall>();
    const LeaseRecord lowered = record("copy", start_ms + 10, LeaseState::released);
    reply(Found(RecordView{0, 1, start_ms, lowered, "record-0", {}}));
    add_record(0, lowered);
    now_ms_ = used - 500;  // without a lease the clock may go back
    (void)expect<SurveyCall>();
    registry_offset_ms_.reset();
    reply(survey());
    (void)expect<WriteCall>();
    reply(Written{2, std::nullopt});
    EXPECT_GT(take(), used);
}

TEST_F(LeaseTaking, ANameThatWasMadeAgainIsNotJoined) {
    lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::missing);
    EXPECT_EQ(take_error(), errc::lease_lost);
    name_.id = "another";
    (void)expect<SurveyCall>();
    reply(survey());
    EXPECT_NE(trouble().find("deleted and made again"), std::string::npos) << trouble();
    EXPECT_FALSE(machine_->holding());
}

// ---- holding

class LeaseHolding : public LeaseMachineFixture {};

TEST_F(LeaseHolding, AHeartbeatRaisesTheFence) {
    const LeaseRecord made = lease();
    EXPECT_FALSE(machine_->next_call(now()));
    advance(3'000ms);
    const auto beat = expect<WriteCall>();
    EXPECT_EQ(beat.version, 0);
    EXPECT_EQ(beat.record.owner, made.owner);
    EXPECT_NE(beat.record.write, made.write);
    EXPECT_EQ(beat.record.fence, start_ms + 3'000 + window);
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + window) << "sent is not committed";
    reply(Written{1, std::nullopt});
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + 3'000 + window);
    advance(3'000ms);
    EXPECT_EQ(expect<WriteCall>().version, 1) << "the version that the last write returned";
}

TEST_F(LeaseHolding, AnUnknownHeartbeatIsNotDoneUntilTheRecordSaysSo) {
    lease();
    advance(3'000ms);
    const auto beat = expect<WriteCall>();
    fail(RegistryFault::unknown);
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + window);
    (void)await<ReadCall>();
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + window);
    reply(Found(RecordView{0, 1, start_ms, beat.record, "record-0", {}}));
    EXPECT_EQ(slot_.current()->limit_ms(), beat.record.fence);
}

TEST_F(LeaseHolding, ALateWriteOfOursIsRecognised) {
    const LeaseRecord made = lease();
    advance(3'000ms);
    const auto late = expect<WriteCall>();
    fail(RegistryFault::unknown);
    (void)await<ReadCall>();
    reply(Found(RecordView{0, 0, start_ms, made, "record-0", {}}));  // not yet
    const auto next = expect<WriteCall>();
    EXPECT_EQ(next.version, 0);
    EXPECT_GE(next.record.fence, late.record.fence) << "a fence never decreases";
    fail(RegistryFault::conflict);  // the late one has landed
    (void)expect<ReadCall>();
    reply(Found(RecordView{0, 1, start_ms, late.record, "record-0", {}}));
    EXPECT_TRUE(machine_->issuing());
    EXPECT_EQ(slot_.current()->limit_ms(), late.record.fence);
    EXPECT_EQ(await<WriteCall>().version, 1);
}

TEST_F(LeaseHolding, AnotherWriterEndsTheLeaseAtOnce) {
    lease();
    SnowflakeGenerator* old = slot_.current();
    advance(3'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::conflict);
    EXPECT_FALSE(old->closed()) << "it may have been a write of ours";
    (void)expect<ReadCall>();
    reply(Found(RecordView{0, 1, start_ms, record("thief", start_ms, LeaseState::held), "record-0", {}}));
    EXPECT_TRUE(old->closed());
    EXPECT_EQ(take_error(), errc::lease_lost);
    EXPECT_NE(trouble().find("thief"), std::string::npos);
    EXPECT_EQ(metrics_.leases_lost.value(), 1U);
    EXPECT_EQ(log_.count("lost worker ID 0"), 1);
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
    reply(Created{1, 0, std::nullopt});
    EXPECT_EQ(slot_.current()->worker_id(), 1);
}

// The memory of the machine was copied, and the copy wrote.
TEST_F(LeaseHolding, OurOwnerWithAWriteThatIsNotOursIsALoss) {
    const LeaseRecord made = lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::conflict);
    (void)expect<ReadCall>();
    LeaseRecord copy = made;
    copy.write = "the copy's";
    reply(Found(RecordView{0, 1, start_ms, copy, "record-0", {}}));
    EXPECT_EQ(take_error(), errc::lease_lost);
}

TEST_F(LeaseHolding, ADeletedRecordEndsTheLeaseAtOnce) {
    lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::missing);
    EXPECT_EQ(take_error(), errc::lease_lost);
}

TEST_F(LeaseHolding, AStaleLookAfterAConflictIsNotABusyLoop) {
    const LeaseRecord made = lease();
    advance(3'000ms);
    int calls = 0;
    for (int i = 0; i < 100; ++i) {
        while (auto call = machine_->next_call(now())) {
            ++calls;
            if (std::holds_alternative<WriteCall>(*call))
                fail(RegistryFault::conflict);
            else
                reply(Found(RecordView{0, 0, start_ms, made, "record-0", {}}));
        }
        advance(10ms);
    }
    EXPECT_LT(calls, 40);
    EXPECT_TRUE(machine_->issuing());
}

TEST_F(LeaseHolding, WithTheRegistryAwayIdsFlowUpToTheFenceAndNotBeyond) {
    lease();
    while (now_ms_ < start_ms + window) {
        if (machine_->next_call(now())) fail(RegistryFault::unavailable);
        EXPECT_EQ(take(), now_ms_);
        EXPECT_FALSE(slot_.trouble());
        advance(1'000ms);
    }
    EXPECT_EQ(take(), start_ms + window) << "the fence itself is ours";
    advance(1ms);
    EXPECT_EQ(take_error(), errc::limit_reached);
    EXPECT_EQ(slot_.trouble()->code, errc::worker_unavailable);
    EXPECT_EQ(log_.count("Worker registry"), 1) << "one line when it begins";
    (void)await<WriteCall>();
    reply(Written{1, std::nullopt});
    machine_->observe(now());
    EXPECT_FALSE(slot_.trouble());
    EXPECT_EQ(take(), now_ms_);
}

TEST_F(LeaseHolding, AReplyForALostLeaseRaisesNothing) {
    access_.usable = true;
    access_.holder = holder();
    lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    // Meanwhile the disk fails, and the lease is given up at its watermark.
    store(Error(errc::store_unavailable, "disk full"));
    advance(2'000ms);
    EXPECT_FALSE(machine_->holding());
    EXPECT_EQ(take_error(), errc::worker_unavailable);
    reply(Written{1, std::nullopt});
    EXPECT_FALSE(machine_->holding());
    (void)expect<SurveyCall>();
}

TEST_F(LeaseHolding, LostWritesStopItUntilTheFloorIsRaised) {
    lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::went_backwards);
    EXPECT_EQ(take_error(), errc::worker_unavailable);
    (void)await<SurveyCall>();
    reply(survey());
    EXPECT_NE(trouble().find("frond worker raise"), std::string::npos) << trouble();
    name_.floor = start_ms + 1;
    (void)await<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
}

TEST_F(LeaseHolding, AVersionBelowTheConfirmedOneMeansLostWrites) {
    const LeaseRecord made = lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    reply(Written{1, std::nullopt});
    advance(3'000ms);
    (void)expect<WriteCall>();
    fail(RegistryFault::unknown);
    (void)await<ReadCall>();
    reply(Found(RecordView{0, 0, start_ms, made, "record-0", {}}));
    EXPECT_FALSE(machine_->holding());
    EXPECT_NE(trouble().find("lost writes"), std::string::npos) << trouble();
}

// All clocks agree on a jump: the fence is behind at once, and the next heartbeat is far.
TEST_F(LeaseHolding, AFenceThatRunsShortIsRenewedAtOnce) {
    lease();
    now_ms_ += 3'600'000;
    machine_->observe(now());
    const auto beat = await<WriteCall>();
    EXPECT_EQ(beat.record.fence, now_ms_ + window);
    EXPECT_LT(steady_ms_, 1'000'000 + 1'000);
}

TEST_F(LeaseHolding, PeersAreAskedAboutAJumpThatTheRegistryDoesNotConfirm) {
    lease();
    const std::int64_t jump = 20'000;
    add_record(7, record("peer", start_ms + window, LeaseState::held));
    records_[0].record->timestamp = now_ms_ + jump;
    records_[0].modified_ms = now_ms_;
    machine_->observe({now_ms_, now().steady, true});
    advance(3'000ms);
    machine_->observe({now_ms_, now().steady, true});
    (void)expect<SurveyCall>();
    reply(survey());
    const auto reference = machine_->take_reference();
    ASSERT_TRUE(reference);
    EXPECT_EQ(reference->at(now().steady), now_ms_ + jump);
    (void)expect<WriteCall>();  // the heartbeat is not left out
    reply(Written{1, std::nullopt});
    advance(3'000ms);
    machine_->observe({now_ms_, now().steady, true});
    (void)expect<WriteCall>();  // not every time
}

TEST_F(LeaseHolding, TheRegistrysClockIsHandedOnOnce) {
    lease();
    advance(3'000ms);
    (void)expect<WriteCall>();
    reply(Written{1, RegistryClock{start_ms + 5'000, now().steady}});
    const auto reference = machine_->take_reference();
    ASSERT_TRUE(reference);
    EXPECT_EQ(reference->ms, start_ms + 5'000);
    EXPECT_FALSE(machine_->take_reference());
    EXPECT_EQ(metrics_.registry_offset_ms.value(), 2'000);
}

// ---- the state file

class LeaseStateFile : public LeaseMachineFixture {
protected:
    LeaseStateFile() {
        access_.usable = true;
        access_.holder = holder();
    }
};

TEST_F(LeaseStateFile, NothingIsIssuedBeforeItIsWritten) {
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto create = expect<CreateCall>();
    EXPECT_FALSE(machine_->next_store(now())) << "no lease yet";
    reply(Created{3, 0, std::nullopt});
    EXPECT_FALSE(machine_->issuing());
    const WorkerState state = store();
    EXPECT_EQ(state.worker_id, 3);
    EXPECT_EQ(state.owner, create.record.owner);
    EXPECT_EQ(state.fence, create.record.fence);
    EXPECT_EQ(state.watermark, start_ms + 1'000);
    EXPECT_EQ(state.use, WorkerState::Use::held);
    EXPECT_TRUE(machine_->issuing());
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + 1'000);
}

// The clock is set back while the state is being written: there is nothing new to store later.
TEST_F(LeaseStateFile, AClockMendedDuringTheFirstStoreOpensItLater) {
    name_.floor = start_ms;
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
    reply(Created{0, 0, std::nullopt});
    ASSERT_TRUE(machine_->next_store(now()));
    now_ms_ -= 1'500;
    machine_->store_done(now(), {});
    EXPECT_FALSE(machine_->issuing());
    advance(400ms);
    EXPECT_FALSE(machine_->issuing());
    advance(200ms);
    EXPECT_TRUE(machine_->issuing());
    EXPECT_EQ(take(), start_ms + 1);
}

TEST_F(LeaseStateFile, TheWatermarkGoesWithTheClockAndNeverPastTheFence) {
    options_.fence_window = 2'000ms;
    lease();
    advance(400ms);
    EXPECT_EQ(store().watermark, start_ms + 1'400);
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + 1'400);
    advance(1'000ms);
    EXPECT_EQ(store().watermark, start_ms + 2'000);
}

TEST_F(LeaseStateFile, OneThatCannotBeWrittenEndsAtTheWatermarkAndIsNotReleased) {
    lease();
    advance(400ms);
    store(Error(errc::store_unavailable, "disk full"));
    EXPECT_TRUE(machine_->issuing()) << "up to the watermark";
    EXPECT_EQ(take(), now_ms_);
    advance(601ms);
    EXPECT_FALSE(machine_->holding());
    (void)expect<SurveyCall>();
    add_record(0, record("me", start_ms + window, LeaseState::held));
    reply(survey());
    (void)expect<CreateCall>();
    reply(Created{1, 0, std::nullopt});
    EXPECT_TRUE(machine_->issuing()) << "another number, without a state file";
    EXPECT_EQ(slot_.current()->worker_id(), 1);
    EXPECT_FALSE(machine_->next_store(now()));
}

TEST_F(LeaseStateFile, AWriteThatHangsCountsAsFailed) {
    lease();
    advance(400ms);
    EXPECT_TRUE(machine_->next_store(now()));
    for (int i = 0; i < 3; ++i) {
        advance(1'000ms);
        EXPECT_TRUE(machine_->holding());
    }
    advance(700ms);
    EXPECT_FALSE(machine_->holding());
}

TEST_F(LeaseStateFile, AStopOfTheWholeProcessIsNoWriteThatHangs) {
    lease();
    advance(400ms);
    const auto state = machine_->next_store(now());
    EXPECT_TRUE(state);
    advance(3'600'000ms);
    EXPECT_TRUE(machine_->holding());
    machine_->store_done(now(), {});
    EXPECT_TRUE(machine_->holding());
    store();
    EXPECT_EQ(slot_.current()->worker_id(), 0);
}

TEST_F(LeaseStateFile, ADyingOwnerIsResumedAboveItsWatermark) {
    leave_state(0, "owner of me", start_ms + 300, start_ms + window);
    add_record(0, record("me", start_ms + window, LeaseState::held));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    const auto write = expect<WriteCall>();
    EXPECT_EQ(write.version, 5);
    EXPECT_NE(write.record.owner, "owner of me");
    EXPECT_GE(write.record.fence, start_ms + window) << "never lower than the one that was found";
    reply(Written{6, std::nullopt});
    store();
    EXPECT_EQ(take(), start_ms + 301);
}

TEST_F(LeaseStateFile, NoResumeWithoutTheProofThatTheWriterIsDead) {
    leave_state(0, "owner of me", start_ms + 300, start_ms + window);
    access_.found->holder.boot_id = "another";
    add_record(0, record("me", start_ms + window, LeaseState::held));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
}

TEST_F(LeaseStateFile, AsAFloorItIsObeyedWhateverItsBoot) {
    leave_state(0, "somebody", start_ms + 600, start_ms + 700);
    access_.found->holder.boot_id = "another";
    add_record(0, record("me", start_ms + 100, LeaseState::released));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    reply(Written{6, std::nullopt});
    store();
    EXPECT_EQ(take(), start_ms + 601);
}

TEST_F(LeaseStateFile, StartsWithTheRegistryDownUpToTheCommittedFence) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    const WorkerState state = store();
    EXPECT_EQ(state.owner, "owner of me");
    ASSERT_TRUE(machine_->issuing());
    EXPECT_EQ(take(), start_ms + 301);
    while (now_ms_ < start_ms + 60'000) {
        if (machine_->next_call(now())) fail(RegistryFault::unavailable);
        while (machine_->next_store(now())) machine_->store_done(now(), {});
        advance(300ms);
    }
    EXPECT_EQ(slot_.current()->limit_ms(), start_ms + 60'000);
}

TEST_F(LeaseStateFile, TheRecordIsTakenBackWhenTheRegistryComes) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    store();
    SnowflakeGenerator* offline = slot_.current();
    add_record(3, record("me", start_ms + 60'000, LeaseState::held));
    (void)await<SurveyCall>();
    reply(survey());
    const auto write = expect<WriteCall>();
    EXPECT_EQ(write.number, 3);
    EXPECT_EQ(write.version, 5);
    EXPECT_NE(write.record.owner, "owner of me");
    reply(Written{6, std::nullopt});
    EXPECT_EQ(slot_.current(), offline) << "the lease goes on";
    EXPECT_EQ(store().owner, write.record.owner);
    advance(3'000ms);
    EXPECT_EQ(expect<WriteCall>().version, 6);
}

// A heartbeat of the dead process lands between the look and the take: its fence counts.
TEST_F(LeaseStateFile, AResumeNeverLowersAFenceThatCameLate) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    store();
    add_record(3, record("me", start_ms + 60'000, LeaseState::held));
    (void)await<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    fail(RegistryFault::conflict);
    (void)expect<ReadCall>();
    records_[0].version = 6;
    records_[0].record->fence = start_ms + 5'000'000;
    reply(Found(records_[0]));
    const auto again = expect<WriteCall>();
    EXPECT_EQ(again.version, 6);
    EXPECT_EQ(again.record.fence, start_ms + 5'000'000);
}

TEST_F(LeaseStateFile, ARecordThatAnotherTookMeanwhileEndsTheOfflineLease) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    store();
    add_record(3, record("other", start_ms + window, LeaseState::held));
    (void)await<SurveyCall>();
    reply(survey());
    EXPECT_EQ(take_error(), errc::lease_lost);
}

TEST_F(LeaseStateFile, WithTheRegistryDownAWrongClockIsNamedToo) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    for (const std::int64_t wrong_ms : {start_ms - 3'600'000, start_ms + 3'600'000}) {
        now_ms_ = wrong_ms;
        start();
        (void)expect<SurveyCall>();
        fail(RegistryFault::unavailable);
        EXPECT_FALSE(machine_->holding());
        EXPECT_NE(trouble().find("it failed; and the clock shows " + format_rfc3339(wrong_ms)), std::string::npos)
            << trouble();
        // Once it is right, the file counts.
        now_ms_ = start_ms;
        (void)await<SurveyCall>();
        fail(RegistryFault::unavailable);
        EXPECT_TRUE(machine_->holding());
    }
}

TEST_F(LeaseStateFile, AClockThatTheRegistryDisprovesEndsTheOfflineLease) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    registry_offset_ms_ = -600'000;
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    store();
    add_record(3, record("me", start_ms + 60'000, LeaseState::held));
    (void)await<SurveyCall>();
    reply(survey());
    EXPECT_EQ(take_error(), errc::clock_rollback);
    EXPECT_NE(trouble().find("600000 ms behind"), std::string::npos) << trouble();
}

TEST_F(LeaseStateFile, NoStartWithTheRegistryDownAfterARelease) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000, WorkerState::Use::released);
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    EXPECT_FALSE(machine_->holding());
    EXPECT_EQ(slot_.trouble()->code, errc::worker_unavailable);
}

TEST_F(LeaseStateFile, NoStartWithTheRegistryDownOnceItHasSpoken) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    registry_offset_ms_ = 3'600'000;
    start();
    (void)expect<SurveyCall>();
    reply(survey());  // the clocks do not agree
    (void)await<SurveyCall>();
    fail(RegistryFault::unavailable);
    EXPECT_FALSE(machine_->holding());
}

// The file says what an earlier process issued, not what this one has issued since.
TEST_F(LeaseStateFile, NoSecondResumeByWhatWasFoundAtTheStart) {
    leave_state(3, "owner of me", start_ms + 300, start_ms + 60'000);
    start();
    (void)expect<SurveyCall>();
    fail(RegistryFault::unavailable);
    store();
    EXPECT_EQ(take(), start_ms + 301);
    (void)await<SurveyCall>();
    reply(survey());  // so stale that it does not show the record
    EXPECT_EQ(take_error(), errc::lease_lost);
    add_record(3, record("me", start_ms + 60'000, LeaseState::held));
    (void)expect<SurveyCall>();
    reply(survey());
    EXPECT_EQ(std::get<CreateCall>(*machine_->next_call(now())).record.identity, "me");
}

// ---- release

class LeaseRelease : public LeaseMachineFixture {};

TEST_F(LeaseRelease, LowersTheFenceToTheLastTimestamp) {
    lease();
    advance(50ms);
    EXPECT_EQ(take(), start_ms + 50);
    SnowflakeGenerator* closed = slot_.current();
    machine_->begin_release(now());
    EXPECT_TRUE(closed->closed());
    const auto write = expect<WriteCall>();
    EXPECT_EQ(write.record.state, LeaseState::released);
    EXPECT_EQ(write.record.fence, start_ms + 50);
    EXPECT_EQ(write.version, 0);
    EXPECT_FALSE(machine_->released());
    reply(Written{1, std::nullopt});
    EXPECT_TRUE(machine_->released());
}

TEST_F(LeaseRelease, AnOwnerThatIssuedNothingKeepsTheFloorItFound) {
    add_record(4, record("other", start_ms + 500, LeaseState::released));
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<WriteCall>();
    reply(Written{6, std::nullopt});
    machine_->begin_release(now());
    EXPECT_EQ(expect<WriteCall>().record.fence, start_ms + 500);
}

TEST_F(LeaseRelease, TheFileIsMarkedBeforeTheFenceIsLowered) {
    access_ = {true, std::nullopt, holder()};
    lease();
    EXPECT_EQ(take(), start_ms);
    machine_->begin_release(now());
    EXPECT_FALSE(machine_->next_call(now()));
    const WorkerState state = store();
    EXPECT_EQ(state.use, WorkerState::Use::released);
    EXPECT_EQ(state.watermark, start_ms);
    EXPECT_EQ(expect<WriteCall>().record.fence, start_ms);
    reply(Written{1, std::nullopt});
    EXPECT_TRUE(machine_->released());
}

TEST_F(LeaseRelease, AFileThatCannotBeMarkedLeavesTheRecordAsItIs) {
    access_ = {true, std::nullopt, holder()};
    lease();
    machine_->begin_release(now());
    store(Error(errc::store_unavailable, "disk full"));
    EXPECT_TRUE(machine_->released());
    EXPECT_FALSE(machine_->next_call(now()));
}

TEST_F(LeaseRelease, AStoreThatWasUnderWayDoesNotCountAsTheMark) {
    access_ = {true, std::nullopt, holder()};
    lease();
    advance(400ms);
    EXPECT_TRUE(machine_->next_store(now()));
    machine_->begin_release(now());
    machine_->store_done(now(), {});
    EXPECT_FALSE(machine_->next_call(now()));
    EXPECT_EQ(store().use, WorkerState::Use::released);
    (void)expect<WriteCall>();
}

TEST_F(LeaseRelease, WithTheRegistryAwayTheFileKeepsItsPermission) {
    access_ = {true, std::nullopt, holder()};
    lease();
    advance(3'000ms);
    store();
    (void)expect<WriteCall>();
    fail(RegistryFault::unavailable);
    EXPECT_EQ(take(), now_ms_);
    machine_->begin_release(now());
    const WorkerState state = store();
    EXPECT_EQ(state.use, WorkerState::Use::held) << "a rolling restart while the registry is away";
    EXPECT_EQ(state.watermark, start_ms + 3'000);
    EXPECT_TRUE(machine_->released());
}

TEST_F(LeaseRelease, AHeartbeatUnderWayIsWaitedFor) {
    lease();
    advance(3'000ms);
    const auto beat = expect<WriteCall>();
    machine_->begin_release(now());
    EXPECT_FALSE(machine_->next_call(now()));
    reply(Written{1, std::nullopt});
    const auto release = expect<WriteCall>();
    EXPECT_EQ(release.version, 1);
    EXPECT_EQ(release.record.state, LeaseState::released);
    EXPECT_NE(release.record.write, beat.record.write);
}

TEST_F(LeaseRelease, ATakeUnderWayIsReleasedToo) {
    start();
    (void)expect<SurveyCall>();
    reply(survey());
    (void)expect<CreateCall>();
    machine_->begin_release(now());
    EXPECT_FALSE(machine_->released());
    reply(Created{0, 0, std::nullopt});
    EXPECT_FALSE(machine_->issuing());
    const auto release = expect<WriteCall>();
    EXPECT_EQ(release.record.state, LeaseState::released);
    EXPECT_EQ(release.record.fence, SnowflakeLayout::leaf_epoch_ms - 1);
    reply(Written{1, std::nullopt});
    EXPECT_TRUE(machine_->released());
}

TEST_F(LeaseRelease, WithoutALeaseThereIsNothingToDo) {
    start();
    (void)expect<SurveyCall>();
    machine_->begin_release(now());
    EXPECT_TRUE(machine_->released());
    fail(RegistryFault::unavailable);
    EXPECT_FALSE(machine_->next_call(now()));
}

TEST_F(LeaseRelease, AnUnknownReleaseIsLookedAtAndRepeated) {
    const LeaseRecord made = lease();
    machine_->begin_release(now());
    (void)expect<WriteCall>();
    fail(RegistryFault::unknown);
    (void)await<ReadCall>();
    reply(Found(RecordView{0, 0, start_ms, made, "record-0", {}}));
    const auto again = expect<WriteCall>();
    EXPECT_EQ(again.record.state, LeaseState::released);
    reply(Written{1, std::nullopt});
    EXPECT_TRUE(machine_->released());
}

}  // namespace
}  // namespace frond::worker
