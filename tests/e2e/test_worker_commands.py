"""`frond worker list`, `show` and `raise` over the records of real servers."""

import json
import re
import time

import pytest

from harness.leaf import make_parent
from harness.server import run_frond
from harness.waiting import PATIENCE, wait_for

LEASED = {"snowflake__registry": None, "snowflake__worker_id": None}
EPOCH_MS = 1288834974657
FENCE_WINDOW_MS = 15 * 60 * 1000


@pytest.fixture
def leasing(servers):
    """Servers that lease their worker IDs from the database of the first."""

    def make(*names, **overrides):
        return servers(*names, **{**LEASED, **overrides})

    return make


def listing(server):
    return json.loads(server.command("worker", "list", "--json").stdout)


def worker(server, worker_id):
    return next(each for each in listing(server)["workers"] if each["worker_id"] == worker_id)


def worker_of(number):
    return number >> 12 & 1023


def time_of(number):
    return (number >> 22) + EPOCH_MS


def first_id(server):
    """The first ID, however long Snowflake mode waits before it."""
    wait_for(lambda: server.manage("/readyz/snowflake").status == 200, seconds=30, what="Snowflake mode")
    return server.snowflake()


def test_a_name_that_nobody_joined(leasing):
    server = leasing().init()
    for command in (["list"], ["show", "0"], ["raise", "--by", "1s"]):
        done = server.command("worker", *command, ok=False)
        assert done.returncode == 1
        assert done.stderr.startswith("frond: ") and "'frond'" in done.stderr
        assert done.stdout == ""


def test_list_shows_who_holds_what(leasing):
    server = leasing(snowflake__identity="ids-a").init().start()
    worker_id = worker_of(server.snowflake())
    record = worker(server, worker_id)
    assert record["state"] == "held" and record["maker"] == "frond"
    assert record["identity"] == "ids-a"
    assert 0 < record["fence_ms"] - record["timestamp_ms"] <= FENCE_WINDOW_MS
    assert re.fullmatch(r"[0-9a-f]{32}", record["owner"])
    text = server.command("worker", "list").stdout
    assert re.search(rf"^{worker_id} +held +{record['owner'][:8]} +ids-a ", text, re.MULTILINE)
    assert "2010-11-04T01:42:54.657Z" in text

    server.stop()
    released = worker(server, worker_id)
    assert released["state"] == "released"
    assert released["fence_ms"] <= record["fence_ms"]


def test_two_servers_are_two_records(leasing):
    first = leasing("a").init().start()
    second = leasing("b", database=first.database).start()
    held = {each["worker_id"] for each in listing(first)["workers"] if each["state"] == "held"}
    assert held == {worker_of(first.snowflake()), worker_of(second.snowflake())}
    assert len(held) == 2


def test_show(leasing):
    server = leasing(snowflake__identity="ids-a").init().start()
    worker_id = worker_of(server.snowflake())
    text = server.command("worker", "show", worker_id).stdout
    assert re.search(rf"^worker ID +{worker_id}$", text, re.MULTILINE)
    assert re.search(r"^identity +ids-a$", text, re.MULTILINE)
    assert json.loads(server.command("worker", "show", worker_id, "--json").stdout)["identity"] == "ids-a"
    done = server.command("worker", "show", 1000, ok=False)
    assert done.returncode == 1
    assert "no record of worker ID 1000" in done.stderr


def test_raise_lifts_every_later_lease(leasing):
    """What it is for: the registry lost writes; all are stopped, the floor is raised, and they start above it."""
    server = leasing().init().start()
    server.snowflake()
    server.stop()
    floor = int(time.time() * 1000) + 2000
    done = server.command("worker", "raise", "--to", floor)
    assert "audit: user" in done.stdout
    assert listing(server)["floor_ms"] == floor
    server.start()
    assert time_of(first_id(server)) > floor


def test_a_floor_far_ahead_uses_up_no_number(leasing):
    """Raised by minutes, as the help has it: the instances wait for it, whatever number they would take."""
    server = leasing(snowflake__worker_id_limit=4).init().start()
    server.snowflake()
    server.stop()
    server.command("worker", "raise", "--by", "1m")
    before = listing(server)["workers"]
    server.start()
    wait_for(lambda: "frond worker raise" in server.manage("/readyz?verbose").text(), what="the reason")
    enough = time.monotonic() + 2 * PATIENCE  # the first number was used up within a third of a second
    while time.monotonic() < enough:
        assert listing(server)["workers"] == before
    assert not server.logged("lost worker ID")
    assert server.manage("/readyz/segment").status == 200


def test_raise_beside_a_server_that_runs_says_that_it_comes_too_late(leasing):
    server = leasing().init().start()
    done = server.command("worker", "raise", "--by", "1m")
    assert "until it is stopped" in done.stderr or "until they are stopped" in done.stderr
    before = listing(server)["floor_ms"]
    done = server.command("worker", "raise", "--to", "2020-01-01")
    assert "it was higher already" in done.stdout
    assert listing(server)["floor_ms"] == before


def test_raise_refuses_absurd_values(leasing):
    server = leasing().init().start()
    done = server.command("worker", "raise", "--by", "400d", ok=False)
    assert done.returncode == 1
    assert "--force" in done.stderr
    assert listing(server)["floor_ms"] is None
    done = server.command("worker", "raise", "--to", "2100-01-01", "--force", ok=False)
    assert done.returncode == 1
    assert "the end of this layout's timestamps" in done.stderr


@pytest.fixture
def in_zookeeper(leasing, zookeeper, folder):
    """A server that leases from ZooKeeper, under a name of the test's own, which it gives."""
    name = f"commands-{folder.name}"
    server = leasing(snowflake__name=name, snowflake__registry="zookeeper", zookeeper__connect=zookeeper.connect_string)

    def command(*arguments, **options):
        return server.command("worker", *arguments, "--set", "snowflake.registry=zookeeper", "--set",
                              f"zookeeper.connect={zookeeper.connect_string}", "--set", f"snowflake.name={name}", **options)

    return server.init(), name, command


def test_nodes_of_leaf_are_listed_as_such(in_zookeeper, zookeeper):
    server, name, command = in_zookeeper
    with zookeeper.client() as client:
        make_parent(client, name, [("10.0.0.1", 8080), ("10.0.0.2", 8080)])
    server.set("snowflake.identity", "ids-a")
    server.start()
    own = worker_of(server.snowflake())
    workers = json.loads(command("list", "--json").stdout)["workers"]
    assert [(each["worker_id"], each["maker"], each["state"]) for each in workers] == [
        (0, "leaf", "leaf"), (1, "leaf", "leaf"), (own, "frond", "held")]
    assert "10.0.0.1:8080" in workers[0]["place"]
    text = command("list").stdout
    assert re.search(r"^0 +leaf .*10\.0\.0\.1:8080", text, re.MULTILINE)
    assert re.search(r"^present +ids-a$", text, re.MULTILINE)
    assert re.search(r"^state +leaf$", command("show", 1).stdout, re.MULTILINE)


def test_raise_in_zookeeper(in_zookeeper):
    server, name, command = in_zookeeper
    assert command("raise", "--by", "1s", ok=False).returncode == 1
    server.start()
    server.snowflake()
    assert "connected now: 1" in command("raise", "--by", "1s").stderr
    server.stop()
    floor = int(time.time() * 1000) + 20 * 60 * 1000
    command("raise", "--to", floor)
    floor_of = json.loads(command("list", "--json").stdout)["floor_ms"]
    assert floor_of == floor


def test_static_has_no_records(folder):
    done = run_frond("worker", "list", "--set", "snowflake.registry=static", "--set", "snowflake.worker_id=1",
                     folder=folder)
    assert done.returncode == 2
    assert '"static"' in done.stderr


def test_registry_away(folder):
    """A registry that does not answer is a complaint, not a hang."""
    done = run_frond("worker", "list", "--set", "snowflake.registry=zookeeper", "--set", "zookeeper.connect=127.0.0.1:1",
                     folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("frond: ")
