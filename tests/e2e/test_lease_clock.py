"""The wall clock steps while a worker ID is leased: no ID twice, no error where none is due, no record that is blocked
for years. What happens at start is in test_lease_clock_start.py."""

import json
import re

import pytest

from harness.ids import timestamp_ms
from harness.taken import Taken, assert_no_record_is_blocked_for_long, now_ms
from harness.waiting import wait_for
from harness.wrong_clocks import HEARTBEAT, wait_issuing

STEPS = ["-0.001s", "-0.005s", "-1s", "-30s", "-1h", "+1s", "+1h", "+10y"]
TINY = ["-0.001s", "-0.005s"]

FILE = {"with file": {}, "without file": {"snowflake__state_dir": ""}}


@pytest.fixture
def front(zookeeper, relays):
    """What stands between the server and ZooKeeper."""
    return relays(zookeeper)


@pytest.fixture
def stepped(frond, front, fake_clock):
    """Makes the server whose clock steps."""
    usual = {"zookeeper": front, "clock": fake_clock, "segment__enabled": False, **HEARTBEAT}
    return lambda **options: frond(**{**usual, **options})


@pytest.fixture
def embedded(servers, fake_clock):
    """The same over the database."""

    def make(**options):
        lease = {"snowflake__registry": "database", "snowflake__worker_id": None, "snowflake__identity": "one"}
        return servers(clock=fake_clock, **{**lease, **HEARTBEAT, **options}).init()

    return make


def metric(server, name):
    return server.metrics()[f"frond_{name}"]


def wait_heartbeats(server, count=2):
    """Until the server has looked at its clocks again, and its registry has confirmed that."""
    enough = metric(server, "worker_heartbeats_total") + count
    wait_for(lambda: metric(server, "worker_heartbeats_total") >= enough, 20, "heartbeats")


def lose_registry(server, front):
    """The server notices it in a while; heartbeats fail from now on."""
    wait_heartbeats(server, 1)
    front.cut()


def wait_step_seen(server, offset):
    """A step of a millisecond is less than what two readings may differ by, and is no step."""
    if offset in TINY:
        return
    name = 'snowflake_clock_steps_total{direction="%s"}' % ("back" if offset[0] == "-" else "ahead")
    wait_for(lambda: metric(server, name) >= 1, 20, "the look at the clock")


def records_in_database(server):
    return json.loads(server.command("worker", "list", "--json").stdout)["workers"]


# --- hold


@pytest.mark.parametrize("state_file", FILE)
@pytest.mark.parametrize("registry", ["up", "down"])
@pytest.mark.parametrize("offset", STEPS)
def test_hold_over_a_step_then_kill_and_restart(stepped, front, fake_clock, records, offset, registry, state_file):
    server = stepped(**FILE[state_file]).start()
    taken = Taken()
    taken.take(server)
    if registry == "down":
        lose_registry(server, front)
        beats = metric(server, "worker_heartbeats_total")
    fake_clock.step(offset)
    taken.take(server)
    wait_step_seen(server, offset)
    if registry == "up":
        wait_heartbeats(server)
    taken.take(server)
    if registry == "down":  # one reply may have been on its way
        assert metric(server, "worker_heartbeats_total") <= beats + 1
    front.heal()
    wait_heartbeats(server)
    taken.take(server)
    assert len(taken.workers) == 1
    assert metric(server, "worker_leases_lost_total") == 0
    record = records.of(taken.workers[0])
    assert abs(record.fields["timestamp"] - record.stat.mtime) < 5000  # the time of IDs, not the wall clock's
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])

    server.kill()
    fake_clock.step("+0")
    server.start()
    taken.take(server)
    taken.assert_distinct()
    if state_file == "with file":
        assert len(taken.workers) == 1
    else:
        assert len(taken.workers) == 2
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])


def test_hold_over_many_steps_with_heartbeats_between(stepped, fake_clock, records):
    server = stepped().start()
    taken = Taken()
    for offset in (*STEPS, "+0"):
        fake_clock.step(offset)
        taken.take(server, single=20)
        wait_heartbeats(server)
    taken.assert_increasing()
    assert metric(server, "worker_leases_lost_total") == 0
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])


@pytest.mark.parametrize("offset", ["+1h", "+10y"])
def test_a_jump_ahead_then_a_graceful_stop(stepped, fake_clock, records, offset):
    server = stepped().start()
    taken = Taken()
    taken.take(server)
    fake_clock.step(offset)
    wait_step_seen(server, offset)
    wait_heartbeats(server)
    taken.take(server)
    server.stop()
    record = records.of(taken.workers[0])
    assert record.fields["state"] == "released"
    assert timestamp_ms(taken.numbers[-1]) <= record.fields["fence"] <= now_ms() + 1000
    fake_clock.step("+0")
    server.start()
    taken.take(server)
    taken.assert_increasing()
    assert len(taken.workers) == 1


# --- reject


@pytest.mark.parametrize("registry", ["up", "down"])
@pytest.mark.parametrize("offset", TINY)
def test_reject_waits_for_a_few_milliseconds(stepped, front, fake_clock, offset, registry):
    server = stepped(snowflake__on_clock_rollback="reject").start()
    if registry == "down":
        lose_registry(server, front)
    numbers = []
    with server.connect() as wire:
        for _ in range(20):
            numbers.append(wire.exchange("/api/snowflake/get/x").number())
            fake_clock.step(offset)
            numbers.append(wire.exchange("/api/snowflake/get/x").number())
            fake_clock.step("+0")
    front.heal()
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("registry", ["up", "down"])
@pytest.mark.parametrize("offset", ["-1s", "-30s", "-1h"])
def test_reject_refuses_until_the_clock_has_caught_up(stepped, front, fake_clock, records, offset, registry):
    server = stepped(snowflake__on_clock_rollback="reject", segment__enabled=True).init().create_key("demo").start()
    wait_issuing(server)
    taken = Taken()
    taken.take(server)
    if registry == "down":
        lose_registry(server, front)
    fake_clock.step(offset)
    if offset != "-1s":
        for nearer in (offset, "-20s"):
            fake_clock.step(nearer)
            reply = server.fetch("/api/snowflake/get/x")
            assert reply.status == 503 and reply.code() == "CLOCK_ROLLBACK"
            assert int(reply.header("retry-after")) >= 1
        assert re.search(r"wall clock is \d+ ms behind", server.manage("/readyz?verbose").text())
        assert server.manage("/readyz").status == 200 and server.segment() > 0
        fake_clock.step("+0")
    # A second passes by itself, and IDs go by the clock as it is now.
    wait_issuing(server)
    front.heal()
    wait_heartbeats(server)
    taken.take(server, late_ms=1000 if offset == "-1s" else 0)
    taken.assert_increasing()
    assert metric(server, "worker_leases_lost_total") == 0
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])


@pytest.mark.parametrize("offset", ["+1s", "+1h", "+10y"])
def test_reject_does_not_follow_a_jump_ahead(stepped, fake_clock, records, offset):
    """So that the way back is no rollback."""
    server = stepped(snowflake__on_clock_rollback="reject").start()
    taken = Taken()
    taken.take(server)
    fake_clock.step(offset)
    taken.take(server)
    wait_step_seen(server, offset)
    wait_heartbeats(server)
    fake_clock.step("+0")
    if offset == "+1s":  # which was followed, by less than a millisecond
        wait_issuing(server)
    taken.take(server)
    taken.assert_increasing()
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])


# --- leased from the database


def hold_in_database(server, fake_clock, offset):
    server.start()
    wait_issuing(server)
    taken = Taken()
    taken.take(server)
    fake_clock.step(offset)
    taken.take(server)
    wait_step_seen(server, offset)
    wait_heartbeats(server)
    taken.take(server)
    server.kill()
    fake_clock.step("+0")
    server.start()
    wait_issuing(server)
    taken.take(server)
    taken.assert_increasing()
    assert len(taken.workers) == 1
    assert_no_record_is_blocked_for_long([record["fence_ms"] for record in records_in_database(server)])


@pytest.mark.parametrize("offset", ["-0.005s", "-30s", "-1h", "+1h", "+10y"])
def test_hold_over_sqlite(embedded, fake_clock, offset):
    """There is no second clock to ask."""
    hold_in_database(embedded(), fake_clock, offset)


@pytest.mark.parametrize("offset", ["-1h", "+1h", "+10y"])
def test_hold_over_mariadb(embedded, database, fake_clock, offset):
    hold_in_database(embedded(database=database.url), fake_clock, offset)


def test_reject_over_sqlite(embedded, fake_clock):
    server = embedded(snowflake__on_clock_rollback="reject").start()
    wait_issuing(server)
    taken = Taken()
    taken.take(server)
    fake_clock.step("-1h")
    assert server.fetch("/api/snowflake/get/x").code() == "CLOCK_ROLLBACK"
    fake_clock.step("+0")
    wait_issuing(server)
    taken.take(server)
    taken.assert_increasing()
