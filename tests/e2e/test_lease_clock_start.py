"""An instance starts with a wrong clock: it refuses, waits or takes another number, and in no case is an ID repeated or
a record blocked for years."""

import re

import pytest

from harness.wrong_clocks import (
    ENDS, FAR, HEARTBEAT, NEAR, assert_clocks, assert_not_blocked, live_once, owners, refusal, wait_issuing)


@pytest.fixture
def wrong(frond, fake_clock):
    """Makes the server that is to start with a wrong clock."""

    def make(**options):
        return frond("wrong", clock=fake_clock, **HEARTBEAT, **options).init().create_key("demo")

    return make


# --- the registry is there, and its clock is right


@pytest.mark.parametrize("left", ENDS)
@pytest.mark.parametrize("offset", NEAR)
def test_a_little_off(wrong, fake_clock, records, offset, left):
    end, options = ENDS[left]
    server = wrong(**options)
    taken = live_once(server, end)
    fake_clock.step(offset)
    server.start(ready=False)
    wait_issuing(server)
    taken.take(server, late_ms=max(0, -NEAR[offset]))
    taken.assert_distinct()
    # Without a file nothing proves that the killed owner is dead: its fence has to pass.
    assert len(taken.workers) == (2 if left == "killed, without file" else 1)
    assert_not_blocked(records)


@pytest.mark.parametrize("left", ENDS)
@pytest.mark.parametrize("offset", FAR)
def test_far_off_and_nobody_else_is_there(wrong, fake_clock, records, offset, left):
    end, options = ENDS[left]
    server = wrong(**options)
    taken = live_once(server, end)
    before = owners(records)
    fake_clock.step(offset)
    server.start(ready=False)
    text = refusal(server)
    assert_clocks(text, FAR[offset], 0)
    assert "no other instance is alive" in text
    assert len(server.logged("^Snowflake mode: the clock of this machine shows")) == 1
    assert owners(records) == before
    fake_clock.step("+0")
    wait_issuing(server)
    taken.take(server)
    taken.assert_distinct()
    assert_not_blocked(records)


@pytest.mark.parametrize("offset", FAR)
def test_far_off_and_two_others_are_right(wrong, frond, fake_clock, records, offset):
    server = wrong()
    taken = live_once(server, "kill")
    others = [frond(f"right{n}", segment__enabled=False, **HEARTBEAT).start() for n in (1, 2)]
    before = owners(records)
    fake_clock.step(offset)
    server.start(ready=False)
    text = refusal(server, clocks=3)
    assert_clocks(text, FAR[offset], 0, 0)
    assert "set the clock of this machine right" in text
    assert server.logged("^Snowflake mode: the clock of this machine shows .* the registry's shows ")
    assert owners(records) == before  # nobody was driven out
    fake_clock.step("+0")
    wait_issuing(server)
    for each in (server, *others):
        taken.take(each)
        assert each.metrics()["frond_worker_leases_lost_total"] == 0
    taken.assert_distinct()
    assert len(taken.workers) == 3
    assert_not_blocked(records)


@pytest.mark.parametrize("left", ENDS)
def test_behind_by_less_than_the_skew_waits_for_its_own_record(wrong, fake_clock, left):
    end, options = ENDS[left]
    server = wrong(**options)
    taken = live_once(server, end)
    fake_clock.step("-3s")
    server.start(ready=False)
    if left == "killed, without file":  # its own record is held by nobody knows whom
        assert not server.logged("waiting for it")
    else:
        text = refusal(server, clocks=1)
        assert re.search(r"shows \S+, \d+ ms behind \S+, up to which .*waiting for it", text), text
    wait_issuing(server)
    taken.take(server, late_ms=3000)
    taken.assert_distinct()
    assert len(taken.workers) == (2 if left == "killed, without file" else 1)


# --- leased from the database


@pytest.fixture
def embedded(servers, fake_clock):
    def make(**options):
        lease = {"snowflake__registry": "database", "snowflake__worker_id": None, "snowflake__identity": "one"}
        return servers(clock=fake_clock, **{**lease, **HEARTBEAT, **options}).init().create_key("demo")

    return make


@pytest.mark.parametrize("offset", ["-1h", "+1h"])
def test_mariadb_has_a_clock_to_compare_with(embedded, database, fake_clock, offset):
    server = embedded(database=database.url)
    taken = live_once(server, "kill")
    fake_clock.step(offset)
    server.start(ready=False)
    assert_clocks(refusal(server), FAR[offset], 0)
    fake_clock.step("+0")
    wait_issuing(server)
    taken.take(server)
    taken.assert_increasing()
    assert len(taken.workers) == 1


@pytest.mark.parametrize("left", ENDS)
def test_sqlite_has_none(embedded, fake_clock, left):
    """A record that is ahead of the only clock there is belongs to the past of another number."""
    end, options = ENDS[left]
    server = embedded(**options)
    taken = live_once(server, end)
    fake_clock.step("-1h")
    server.start()
    wait_issuing(server)
    taken.take(server, late_ms=3_600_000)
    taken.assert_distinct()
    assert len(taken.workers) == 2
    server.stop()
    fake_clock.step("+0")
    server.start()
    wait_issuing(server)
    taken.take(server)
    taken.assert_distinct()
