"""An instance starts with a wrong clock, or beside a registry that has one: it refuses, waits, takes another number or
goes on with a warning, and in no case is an ID repeated or a record blocked for years."""

import datetime
import functools
import itertools
import pathlib
import re
import shutil
import tempfile

import pytest

from harness.clock import FakeClock
from harness.ids import assert_distinct
from harness.load import in_parallel
from harness.records import Records
from harness.taken import Taken, assert_no_record_is_blocked_for_long, now_ms
from harness.waiting import wait_for
from harness.zookeeper import Standalone

NEAR = {"-0.001s": -1, "-0.005s": -5, "-1s": -1000, "+1s": 1000}
FAR = {"-30s": -30_000, "-1h": -3_600_000, "+1h": 3_600_000, "+10y": 10 * 365 * 86_400_000}

HEARTBEAT = {"snowflake__heartbeat": "100ms"}
# What the earlier process left behind: how it ended, and whether there is a state file.
ENDS = {
    "killed, with file": ("kill", {}),
    "killed, without file": ("kill", {"snowflake__state_dir": ""}),
    "stopped, with file": ("stop", {}),
    "stopped, without file": ("stop", {"snowflake__state_dir": ""}),
}
CLOCK_SLACK_MS = 14_000  # between the making of a message and the look at it


@pytest.fixture
def front(zookeeper, relays):
    return relays(zookeeper)


@pytest.fixture
def wrong(frond, front, fake_clock):
    """Makes the server that is to start with a wrong clock."""

    def make(**options):
        usual = {"zookeeper": front, "clock": fake_clock, **HEARTBEAT}
        return frond("wrong", **{**usual, **options}).init().create_key("demo")

    return make


def live_once(server, end):
    """A first life with a right clock; what was taken in it."""
    taken = Taken()
    server.start()
    wait_issuing(server)
    taken.take(server)
    getattr(server, end)()
    return taken


def reason(server):
    return server.manage("/readyz?verbose").text()


def clocks_in(text):
    """The times that a message names, in ms since the Unix epoch."""
    found = re.findall(r"shows (\d{4}-\d\d-\d\dT[\d:.]+Z)", text)
    return [round(datetime.datetime.fromisoformat(each).timestamp() * 1000) for each in found]


def assert_clocks(text, *offsets):
    """The message names these clocks, by their offsets to the true time."""
    clocks = clocks_in(text)
    assert len(clocks) == len(offsets), text
    for clock, offset in zip(clocks, offsets):
        # Ten years by libfaketime and by the calendar differ by a few days.
        slack = CLOCK_SLACK_MS + (4 * 86_400_000 if abs(offset) > 86_400_000 else 0)
        assert abs(clock - now_ms() - offset) < slack, text


def refusal(server, clocks=2):
    """The reason why Snowflake mode is not ready, once it names so many clocks; segment mode serves meanwhile."""
    wait_for(lambda: len(clocks_in(reason(server))) == clocks, 30, f"a reason with {clocks} clocks")
    reply = server.fetch("/api/snowflake/get/x")
    assert reply.status == 503 and reply.code() == "CLOCK_ROLLBACK"
    assert server.segment() > 0
    wait_for(server.is_ready, 20, "segment mode")
    return reason(server)


def wait_issuing(server, seconds=20):
    wait_for(lambda: server.fetch("/api/snowflake/get/x").status == 200, seconds, "Snowflake mode")


def owners(records):
    return {entry.number: entry.fields["owner"] for entry in records.frond_records()}


def assert_not_blocked(records):
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])


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


# --- the registry is away


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


# --- the registry's own clock is wrong


@pytest.fixture(scope="module")
def zookeeper_of_module():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="frond-zk-"))
    server = Standalone(folder, clock=FakeClock(folder))
    try:
        yield server.start()
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def zookeeper_with_clock(zookeeper_of_module):
    """A ZooKeeper whose clock can be stepped, for the tests here that run one after the other."""
    yield zookeeper_of_module
    zookeeper_of_module.node.clock.step("+0")


@pytest.fixture
def clock_of_zookeeper(zookeeper_with_clock):
    return zookeeper_with_clock.node.clock


wrong_registry = pytest.mark.xdist_group("clock_of_zookeeper")


@wrong_registry
@pytest.mark.parametrize("offset,how,running", [
    ("+1h", "restart", 3), ("-1h", "step", 2), ("+10y", "step", 1), ("-30s", "step", 2)])
def test_only_the_clock_of_zookeeper_is_wrong(frond, zookeeper_with_clock, clock_of_zookeeper, registry_name, offset,
                                              how, running):
    zookeeper = zookeeper_with_clock
    options = {"zookeeper": zookeeper, "segment__enabled": False, **HEARTBEAT}
    servers = [frond(f"running{n}", **options).start() for n in range(running)]
    taken = Taken()
    for server in servers:
        taken.take(server)
    if how == "restart":
        zookeeper.stop()
    clock_of_zookeeper.step(offset)
    if how == "restart":
        zookeeper.start()
    # Those that run go on by their own time, even one alone.
    for server in servers:
        enough = server.metrics()["frond_worker_heartbeats_total"] + 2
        wait_for(lambda: server.metrics()["frond_worker_heartbeats_total"] >= enough, 30, "heartbeats")
        side = "behind" if offset[0] == "-" else "ahead of"
        assert server.logged(f"registry's clock is \\d+ ms {side} the time of IDs")
        taken.take(server)
    # A new one sees that the registry is the odd one out.
    newcomer = frond("newcomer", **options).start()
    wait_issuing(newcomer, 30)
    assert newcomer.is_ready()
    warning, = newcomer.logged("the registry's is taken to be wrong")
    assert warning["level"] == "warning"
    assert_clocks(warning["msg"], 0, FAR[offset], 0)
    for server in (*servers, newcomer):
        taken.take(server)
        assert server.metrics()["frond_worker_leases_lost_total"] == 0
    taken.assert_distinct()
    assert len(taken.workers) == running + 1
    assert_not_blocked(Records(zookeeper, registry_name))


@wrong_registry
def test_the_clock_of_zookeeper_is_wrong_and_nobody_can_tell(frond, zookeeper_with_clock, clock_of_zookeeper):
    clock_of_zookeeper.step("-1h")
    server = frond(zookeeper=zookeeper_with_clock, **HEARTBEAT).init().create_key("demo").start(ready=False)
    assert_clocks(refusal(server), 0, FAR["-1h"])
    clock_of_zookeeper.step("+0")
    wait_issuing(server)
    Taken().take(server)


@wrong_registry
def test_all_three_clocks_differ(frond, fake_clock, zookeeper_with_clock, clock_of_zookeeper):
    options = {"zookeeper": zookeeper_with_clock, **HEARTBEAT}
    right = frond("right", segment__enabled=False, **options).start()
    clock_of_zookeeper.step("+1h")
    fake_clock.step("-1h")
    server = frond("wrong", clock=fake_clock, **options).init().create_key("demo").start(ready=False)
    assert_clocks(refusal(server, clocks=3), FAR["-1h"], FAR["+1h"], 0)
    fake_clock.step("+0")
    wait_issuing(server)
    taken = Taken()
    taken.take(right)
    taken.take(server)
    assert len(taken.workers) == 2


@wrong_registry
@pytest.mark.parametrize("left", ENDS)
def test_the_registry_agrees_with_the_clock_that_is_behind_the_own_record(wrong, zookeeper_with_clock, fake_clock,
                                                                          clock_of_zookeeper, left):
    """Then the record is wrong, and another is taken."""
    end, options = ENDS[left]
    server = wrong(zookeeper=zookeeper_with_clock, **options)
    taken = live_once(server, end)
    fake_clock.step("-1h")
    clock_of_zookeeper.step("-1h")
    server.start()
    wait_issuing(server)
    taken.take(server, late_ms=3_600_000)
    taken.assert_distinct()
    assert len(taken.workers) == 2


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
