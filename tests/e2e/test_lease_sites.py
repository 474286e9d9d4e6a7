"""Shares of worker IDs: several registries of one name, instances that contradict the records, and no number left."""

import json
import re
import time

import pytest

from harness.ids import assert_distinct, worker_of
from harness.instances import (lease_metric, snowflake_ready, snowflake_state, start_together, wait_heartbeat,
                               worker_id, worker_ids)
from harness.waiting import wait_for

BRISK = {"snowflake__heartbeat": "300ms"}
FROM_DATABASE = {"snowflake__registry": None, "snowflake__worker_id": None, **BRISK}


@pytest.fixture(params=["zookeeper", "database"])
def leasing(request, servers, registry_name):
    """Makes servers of one name, with segment mode and its key `demo`, that lease from ZooKeeper or from an SQLite file
    which all of them share. `first_number`: the lowest that is given out."""

    class Leasing:
        registry = request.param
        name = registry_name
        first_number = 1 if request.param == "zookeeper" else 0

        def __init__(self):
            self._first = None

        def __call__(self, folder_name, **options):
            if self.registry == "zookeeper":
                return request.getfixturevalue("frond")(folder_name, **BRISK, **options).init().create_key("demo")
            settings = {**FROM_DATABASE, "snowflake__name": self.name, "snowflake__identity": folder_name}
            if self._first:
                return servers(folder_name, database=self._first.database, **settings, **options)
            self._first = servers(folder_name, **settings, **options).init().create_key("demo")
            return self._first

        def listing(self, server):
            """What `frond worker list` tells."""
            arguments = []
            if self.registry == "zookeeper":
                arguments = ["--set", "snowflake.registry=zookeeper",
                             "--set", f"zookeeper.connect={server.settings['zookeeper.connect']}"]
            done = server.command("worker", "list", "--json", "--set", f"snowflake.name={self.name}", *arguments)
            return json.loads(done.stdout)

    return Leasing()


def start_without_snowflake(server):
    """Starts it and expects that segment mode serves alone; returns what it says of Snowflake mode."""
    server.start()
    wait_for(lambda: snowflake_state(server).startswith("snowflake: not ready: "), 20, "a reason")
    assert server.is_ready()
    assert server.segment() > 0
    reply = server.fetch("/api/snowflake/get/x")
    assert reply.status == 503
    assert reply.code() == "WORKER_UNAVAILABLE"
    state = snowflake_state(server)
    assert state in server.manage("/readyz?verbose").text()
    return state


def warnings(server, pattern):
    """What was logged beside the start line, which tells the state of Snowflake mode too."""
    return [event["msg"] for event in server.logged(pattern) if event["level"] == "warning"]


# --- sites


def test_sites_with_disjoint_shares(frond, servers, registry_name):
    """Three registries, which know nothing of each other, and one name."""
    shares = {(0, 8): [], (8, 8): [], (512, 512): []}
    for (offset, limit), site in shares.items():
        share = {"snowflake__worker_id_offset": offset, "snowflake__worker_id_limit": limit, "segment__enabled": False}
        for index in range(3):
            folder_name = f"site{offset}-{index}"
            if offset < 512:
                server = frond(folder_name, zookeeper__root=f"/site-{offset}", **share)
            else:
                server = servers(folder_name, database=site[0].database if site else None,
                                 **{**FROM_DATABASE, "snowflake__name": registry_name}, **share)
                if not site:
                    server.init()
            site.append(server)
    everybody = start_together([server for site in shares.values() for server in site])
    numbers = [number for server in everybody for number in server.snowflake(count=2000)]
    assert_distinct(numbers)
    assert len({worker_of(number) for number in numbers}) == len(everybody)
    for (offset, limit), site in shares.items():
        assert all(offset <= number < offset + limit for number in worker_ids(site))


# --- contradictions


OTHERS = {
    "layout": {"snowflake__timestamp_bits": 40, "snowflake__worker_bits": 11},
    "epoch": {"snowflake__epoch": "2020-01-01T00:00:00Z"},
    "offset": {"snowflake__worker_id_offset": 16},
    "limit": {"snowflake__worker_id_limit": 32},
}


def test_whoever_contradicts_the_name_does_not_join(leasing):
    """Nobody can tell then whose IDs are whose."""
    share = {"snowflake__worker_id_offset": 8, "snowflake__worker_id_limit": 16}
    first = leasing("first", **share).start()
    assert 8 <= worker_id(first) < 24
    before = leasing.listing(first)["workers"]
    for what, other in OTHERS.items():
        server = leasing(what, **{**share, **other})
        state = start_without_snowflake(server)
        warning, = warnings(server, "make them equal")
        for text in (state, warning):
            assert f"the name {leasing.name} was made with" in text
            assert "offset 8, limit 16" in text
            assert "make them equal, or use another snowflake.name" in text
        server.stop()
    after = leasing.listing(first)["workers"]
    assert [each["worker_id"] for each in after] == [each["worker_id"] for each in before]
    assert [each["owner"] for each in after] == [each["owner"] for each in before]
    # The reason was the contradiction: whoever agrees joins.
    agreeing = leasing("agreeing", **share).start()
    assert worker_id(agreeing) not in (worker_id(first), None)


def test_a_record_that_contradicts_is_named(frond, records, zookeeper):
    frond("first").init().start().stop()
    entry, = records.frond_records()[-1:]
    record = entry.fields
    record["layout"]["worker_id_limit"] = 100
    with zookeeper.client() as client:
        client.set(entry.path, json.dumps(record).encode())
    server = frond("second").init().create_key("demo")
    state = start_without_snowflake(server)
    warning, = warnings(server, "make them equal")
    assert entry.path in state and entry.path in warning
    assert "limit 100" in state


# --- none left


@pytest.mark.timeout(120)
def test_all_numbers_leased(leasing, request):
    limit = {"snowflake__worker_id_limit": leasing.first_number + 2}
    holders = [leasing(f"holder{index}", **limit).start() for index in range(2)]
    held = worker_ids(holders)
    assert len(set(held)) == 2
    before = leasing.listing(holders[0])
    creations = creations_of(request) if leasing.registry == "zookeeper" else None

    late = leasing("late", **limit)
    state = start_without_snowflake(late)
    found = re.search(rf"all 2 worker IDs of {re.escape(leasing.name)} are leased; next one free at (\S+Z)", state)
    assert found, state
    assert len(warnings(late, "worker IDs of .* are leased")) == 1
    # The first fence and the skew of 10 s; heartbeats have moved all fences since they were read before.
    free_at = time.mktime(time.strptime(found.group(1)[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
    fences = [each["fence_ms"] / 1000 for each in before["workers"] if each["state"] == "held"]
    later_fences = [each["fence_ms"] / 1000 for each in leasing.listing(late)["workers"] if each["state"] == "held"]
    assert min(fences) + 9 <= free_at <= min(later_fences) + 11

    # However often it tries, it makes nothing.
    if leasing.registry == "zookeeper":
        wait_for_tries(request, "late", 4)
        assert creations_of(request) == creations
    else:
        wait_for(lambda: len({snowflake_state(late) for _ in range(50)}) > 1, 20, "a later free time")
    assert numbers_in(leasing.listing(late)) == numbers_in(before)
    assert not snowflake_ready(late) and late.is_ready()

    released = worker_id(holders[1])
    holders[1].stop()
    wait_for(lambda: snowflake_ready(late), 30, "the number that was released")
    assert worker_id(late) == released
    assert numbers_in(leasing.listing(late)) == numbers_in(before)
    assert late.segment() > 0


def numbers_in(listing):
    return [each["worker_id"] for each in listing["workers"]]


def creations_of(request):
    """How many nodes were ever made under the parent of the records, deleted ones too."""
    stat = request.getfixturevalue("records").parent().stat
    return (stat.cversion + stat.numChildren) // 2


def wait_for_tries(request, identity, count):
    """Each try to get a number writes the sign of presence."""
    records = request.getfixturevalue("records")

    def tries():
        return [each.stat.version for each in records.live() if each.fields["identity"] == identity]

    wait_for(lambda: tries() and tries()[0] >= count, 60, f"{count} tries")


# --- one SQLite file


@pytest.mark.threads
def test_two_instances_on_one_sqlite_file_get_two_numbers(servers):
    one = servers("one", **FROM_DATABASE).init()
    two = servers("two", database=one.database, **FROM_DATABASE)
    both = start_together([one, two])
    assert len(set(worker_ids(both))) == 2
    for server in both:
        assert "unique only among processes that share this file" in server.logged("listens on")[0]["msg"]
        wait_heartbeat(server)
    assert_distinct(one.snowflake(count=5000) + two.snowflake(count=5000) + one.snowflake(count=5000))
    assert all(lease_metric(server, "leases_lost_total") == 0 for server in both)


def test_sqlite_inside_kubernetes_needs_a_word(servers):
    """Each pod has a file of its own, and two would get one number."""
    server = servers(environment={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, **FROM_DATABASE).init()
    server.launch()
    assert server.wait_exit() == 2
    assert "snowflake.single_instance" in server.log_text()
    assert "Kubernetes" in server.log_text()
    server.set("snowflake.single_instance", True)
    server.start()
    assert server.snowflake() > 0
