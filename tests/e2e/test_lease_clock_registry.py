"""ZooKeeper's own clock is wrong: those that run go on, and a new instance sees who is the odd one out."""

import pathlib
import shutil
import tempfile

import pytest

from harness.clock import FakeClock
from harness.records import Records
from harness.taken import Taken
from harness.waiting import wait_for
from harness.wrong_clocks import (
    ENDS, FAR, HEARTBEAT, assert_clocks, assert_not_blocked, live_once, refusal, wait_issuing)
from harness.zookeeper import Standalone

pytestmark = pytest.mark.xdist_group("clock_of_zookeeper")  # one server for all of them


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


def test_the_clock_of_zookeeper_is_wrong_and_nobody_can_tell(frond, zookeeper_with_clock, clock_of_zookeeper):
    clock_of_zookeeper.step("-1h")
    server = frond(zookeeper=zookeeper_with_clock, **HEARTBEAT).init().create_key("demo").start(ready=False)
    assert_clocks(refusal(server), 0, FAR["-1h"])
    clock_of_zookeeper.step("+0")
    wait_issuing(server)
    Taken().take(server)


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


@pytest.mark.parametrize("left", ENDS)
def test_the_registry_agrees_with_the_clock_that_is_behind_the_own_record(frond, zookeeper_with_clock, fake_clock,
                                                                          clock_of_zookeeper, left):
    """Then the record is wrong, and another is taken."""
    end, options = ENDS[left]
    server = frond(zookeeper=zookeeper_with_clock, clock=fake_clock, segment__enabled=False, **HEARTBEAT, **options)
    taken = live_once(server, end)
    fake_clock.step("-1h")
    clock_of_zookeeper.step("-1h")
    server.start()
    wait_issuing(server)
    taken.take(server, late_ms=3_600_000)
    taken.assert_distinct()
    assert len(taken.workers) == 2
