"""Two hundred instances, each new, one after another: a number is always found, and a few are enough for all."""

import itertools

import pytest

from harness.ids import assert_distinct, expand, worker_of
from harness.records import Records
from harness.waiting import SANITIZER, wait_for

INSTANCES = {None: 200, "asan": 60, "tsan": 20}[SANITIZER]

# A record that nobody released is free again 2 s after its last heartbeat.
SHORT = {
    "segment__enabled": False,
    "snowflake__heartbeat": "100ms",
    "snowflake__fence_window": "1s",
    "snowflake__max_clock_skew": "1s",
    "snowflake__max_ahead": "500ms",
}


def one_life(server, end):
    """Starts, hands out IDs, heartbeats, and ends; returns the IDs."""
    server.start(ready=False)
    with server.connect() as wire:
        reply = wait_for(lambda: answer(wire), 30, "a worker ID")
        numbers = [reply.number()]
        for _ in range(20):
            numbers.append(wire.exchange("/api/snowflake/get/x").number())
        numbers += expand(wire.exchange("/api/snowflake/get/x?count=500&format=ranges"))
    wait_for(lambda: server.metrics()["frond_worker_heartbeats_total"] >= 2, 30, "a heartbeat")
    getattr(server, end)()
    return numbers


def answer(wire):
    reply = wire.exchange("/api/snowflake/get/x")
    return reply if reply.status == 200 else None


@pytest.mark.timeout(600)
def test_two_hundred_new_instances_use_twenty_numbers(frond, zookeeper, registry_name):
    numbers, lives = [], []
    with Records(zookeeper, registry_name) as records:
        for index, end in zip(range(INSTANCES), itertools.cycle(["kill", "stop"])):
            server = frond(f"instance{index}", snowflake__identity=f"instance {index}", **SHORT)
            ids = one_life(server, end)
            assert len({worker_of(number) for number in ids}) == 1
            lives.append((worker_of(ids[0]), end))
            numbers += ids
        assert_distinct(numbers)
        # Records are never deleted: these are all that there ever were.
        entries = records.frond_records()
        assert len(entries) <= 20
        assert records.parent().stat.numChildren == len(entries)
        # Each number is as its last owner left it: released, or held up to a fence that soon is past.
        left = {"stop": "released", "kill": "held"}
        assert states_of(records) == {number: left[end] for number, end in dict(lives).items()}


@pytest.mark.threads
def test_a_released_number_is_taken_at_once(frond, records):
    """However long the fence window: rolling restarts use one number."""
    seen = set()
    for index in range(5):
        server = frond(f"instance{index}", snowflake__identity=f"instance {index}", segment__enabled=False)
        server.start()
        seen.add(worker_of(server.snowflake()))
        server.stop()
        assert states_of(records) == {number: "released" for number in seen}
    assert len(seen) == 1


def states_of(records):
    """{number: state} of the records that were ever held; number 0 is there so that nobody gets it."""
    return {entry.number: entry.fields["state"] for entry in records.frond_records() if entry.number}


def test_a_restart_with_its_state_file_resumes_its_number(frond, records):
    """kill -9 again and again in the middle of the fence window: the file proves that the owner is dead."""
    server = frond(segment__enabled=False)
    numbers, owners = [], set()
    for _ in range(5):
        server.start()
        numbers += server.snowflake(count=1000)
        owners.add(records.of(worker_of(numbers[-1])).fields["owner"])
        server.kill()
    assert numbers == sorted(set(numbers))
    assert len({worker_of(number) for number in numbers}) == 1
    assert len(owners) == 5
