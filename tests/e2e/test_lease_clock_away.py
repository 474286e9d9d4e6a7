"""Instances start with a wrong clock while the registry is away: the state file of a process that was killed lets them
go on, unless the clock contradicts it."""

import functools
import itertools

import pytest

from harness.ids import assert_distinct
from harness.load import in_parallel
from harness.waiting import wait_for
from harness.wrong_clocks import (
    ENDS, FAR, HEARTBEAT, NEAR, assert_clocks, assert_not_blocked, clocks_in, live_once, owners, reason,
    refusal, wait_issuing)


@pytest.fixture
def front(zookeeper, relays):
    return relays(zookeeper)


class Trial:
    """One of several servers that are tried at the same time, as each has to wait for the registry that is away."""

    def __init__(self, server, clock, end="kill"):
        self.server, self.clock = server, clock
        self.taken = live_once(server, end)

    @property
    def worker(self):
        return self.taken.workers[0]

    def start(self, offset):
        self.clock.step(offset)
        self.server.start(ready=False)

    def wait_heartbeats(self, count):
        wait_for(lambda: self.server.metrics()["frond_worker_heartbeats_total"] >= count, 30, "heartbeats")

    def assert_resumed(self):
        self.taken.assert_increasing()
        assert self.taken.workers == [self.worker]


@pytest.fixture
def trial(frond, front, fake_clocks):
    """Makes a trial; all of them are cut off from ZooKeeper by front.cut()."""

    numbers = itertools.count()

    def make(end="kill", **options):
        name = f"trial{next(numbers)}"
        clock = fake_clocks(f"clock-of-{name}")
        server = frond(name, zookeeper=front, clock=clock, **HEARTBEAT, **options).init().create_key("demo")
        return Trial(server, clock, end)

    return make


def start_all(trials):
    in_parallel([functools.partial(each.start, offset) for offset, each in trials.items()])


def test_a_little_off_while_the_registry_is_away(trial, front, records):
    """The state file of a process that was killed allows it to go on."""
    trials = {offset: trial() for offset in NEAR}
    before = owners(records)
    front.cut()
    start_all(trials)
    for offset, each in trials.items():
        wait_issuing(each.server)
        each.taken.take(each.server, late_ms=max(0, -NEAR[offset]))
    assert owners(records) == before
    front.heal()
    for offset, each in trials.items():
        each.wait_heartbeats(2)
        assert owners(records)[each.worker] != before[each.worker]
        each.taken.take(each.server, late_ms=max(0, -NEAR[offset]))
        each.assert_resumed()
    assert_not_blocked(records)


def assert_unavailable(server):
    reply = server.fetch("/api/snowflake/get/x")
    assert reply.status == 503 and reply.code() in ("CLOCK_ROLLBACK", "WORKER_UNAVAILABLE")
    assert server.segment() > 0
    assert "snowflake: not ready: " in reason(server)


@pytest.mark.parametrize("first", ["clock", "registry"])
def test_far_off_while_the_registry_is_away(trial, front, records, first):
    """`first`: what is mended first."""
    trials = {offset: trial() for offset in FAR}
    before = owners(records)
    front.cut()
    start_all(trials)
    for each in trials.values():
        assert_unavailable(each.server)
    if first == "clock":
        for offset, each in trials.items():
            # The registry is not all that is wrong.
            wait_for(lambda server=each.server: clocks_in(reason(server)), 30, "the clock in the reason")
            assert_clocks(reason(each.server), FAR[offset])
            assert_unavailable(each.server)
            each.clock.step("+0")
        for each in trials.values():
            wait_issuing(each.server)
            each.taken.take(each.server)
        assert owners(records) == before
        front.heal()
    else:
        front.heal()
        for offset, each in trials.items():
            assert_clocks(refusal(each.server), FAR[offset], 0)
        assert owners(records) == before
        for each in trials.values():
            each.clock.step("+0")
    for each in trials.values():
        each.wait_heartbeats(1)
        wait_issuing(each.server)
        each.taken.take(each.server)
        each.assert_resumed()
    assert_not_blocked(records)


@pytest.mark.parametrize("offset", ["-1s", "-1h", "+10y"])
def test_no_permission_while_the_registry_is_away(trial, front, records, offset):
    without_permission = [ENDS[left] for left in ENDS if left != "killed, with file"]
    trials = [trial(end, **options) for end, options in without_permission]
    front.cut()
    in_parallel([functools.partial(each.start, offset) for each in trials])
    for each in trials:
        assert_unavailable(each.server)
        each.clock.step("+0")
    front.heal()
    all_taken = []
    for each in trials:
        wait_issuing(each.server, 30)
        each.taken.take(each.server)
        all_taken += each.taken.numbers
    assert_distinct(all_taken)
    assert_not_blocked(records)
