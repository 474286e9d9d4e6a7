"""Worker IDs that change hands while their owner is stopped, and writes that arrive after their sender's death."""

import pathlib

import pytest

from harness.ids import assert_distinct, timestamp_ms, worker_of
from harness.instances import (NO_WORKER_ID, ONE_ID, Streams, ids_of, lease_metric, snowflake_ready, snowflake_state,
                               start_together, wait_heartbeat, wait_issuing, worker_id)
from harness.records import Records
from harness.waiting import wait_for
from harness.wire import Wire
from harness.zookeeper import Ensemble

# A number that nobody heartbeats is free after four seconds. All time-outs are shorter.
SHORT = {
    "segment__enabled": False,
    "snowflake__heartbeat": "300ms",
    "snowflake__fence_window": "3s",
    "snowflake__max_clock_skew": "1s",
    "snowflake__max_ahead": "300ms",
    "zookeeper__session_timeout": "1s",
}


@pytest.fixture(params=["zookeeper", "mariadb", "sqlite"])
def leasing(request, servers, registry_name):
    """Makes servers that lease from one registry, with two numbers for all of them."""
    made = []

    def make(folder_name):
        if request.param == "zookeeper":  # number 0 is never given out
            return request.getfixturevalue("frond")(folder_name, snowflake__worker_id_limit=3, **SHORT)
        url = request.getfixturevalue("database").url if request.param == "mariadb" else None
        server = servers(folder_name, database=made[0].database if made else url, snowflake__registry="database",
                         snowflake__worker_id=None, snowflake__name=registry_name, snowflake__identity=folder_name,
                         snowflake__worker_id_limit=2, **SHORT)
        server.arguments += ["--set", "database.0.query_timeout=1s", "--set", "database.0.connect_timeout=1s"]
        if not made:
            server.init()
        made.append(server)
        return server

    return make


@pytest.mark.timeout(120)
def test_take_over_from_an_owner_that_was_stopped(leasing):
    """It wakes up, and so do requests that came meanwhile. Nothing is issued twice, and it ends with another number."""
    owner, other = start_together([leasing("owner"), leasing("other")])
    taken, kept = worker_id(owner), worker_id(other)
    assert taken != kept
    with Streams([owner, other], pause=0.002) as streams, Wire(owner.port, timeout=60) as wire:
        heir = leasing("heir").start(ready=False)
        wait_for(lambda: "all 2 worker IDs of" in snowflake_state(heir), 20, "a reason")
        owner.pause()
        for _ in range(50):
            wire.request(ONE_ID)

        wait_issuing(heir)
        assert worker_id(heir) == taken
        assert heir.logged(f"leased worker ID {taken} .taken over")
        with Streams([heir], pause=0.002) as of_heir:
            of_heir.wait_more(heir)
            wait_heartbeat(heir)

            owner.resume()
            answers = [wire.reply() for _ in range(50)]
            wait_for(lambda: lease_metric(owner, "leases_lost_total") == 1, 30, "the loss")
            wait_for(lambda: "all 2 worker IDs of" in snowflake_state(owner), 30, "no other number")
            assert not snowflake_ready(owner)
            others_last = other.snowflake(count=100)
            streams.stop(other)
            other.stop()  # and its number is free
            wait_issuing(owner)
            for server, stream in ((owner, streams), (heir, of_heir)):
                stream.wait_more(server, count=100)
                wait_heartbeat(server)
            both = [number for server in (owner, heir) for number in server.snowflake(count=2000)]

    assert worker_id(owner) == kept
    assert worker_id(heir) == taken
    assert lease_metric(owner, "leases_lost_total") == 1
    assert len(owner.logged(f"lost worker ID {taken}: ")) == 1
    assert lease_metric(heir, "leases_lost_total") == 0
    assert not of_heir.failures() and not streams.failures(other)
    woken = [number for reply in answers if reply.status == 200 for number in ids_of(reply)]
    assert_distinct(streams.ids() + of_heir.ids() + woken + others_last + both)
    of_old_lease = [number for number in streams.ids_of(owner) + woken if worker_of(number) == taken]
    assert max(map(timestamp_ms, of_old_lease)) < min(map(timestamp_ms, of_heir.ids()))
    refusals = [reply for reply in answers if reply.status != 200] + streams.failures(owner)
    assert refusals and {reply.code() for reply in refusals} <= NO_WORKER_ID


# --- writes that outlive their sender


@pytest.mark.timeout(120)
@pytest.mark.parametrize("lands", ["before the heir's write", "after the heir's write"])
def test_a_write_that_arrives_after_its_sender_died(frond, zookeepers, relays, registry_name, lands):
    """It was sent to a server that stood still. The next incarnation reads, elsewhere, what was there before it."""
    ensemble = zookeepers(Ensemble, syncLimit=150)  # a server may stand still for 30 s
    slow = ensemble.followers()[0]
    between = relays(ensemble)
    index = ensemble.nodes.index(slow)
    others = [between[other] for other in range(3) if other != index]
    for other in others:
        other.cut()
    server = frond(zookeeper=between, segment__enabled=False, snowflake__heartbeat="300ms").start()
    number = worker_id(server)
    wait_heartbeat(server)
    with Streams([server], "/api/snowflake/get/x?count=20&format=ranges") as streams:
        slow.pause()
        wait_for(lambda: unread_bytes(slow.port) > 400, 30, "a heartbeat that nobody reads")
        streams.wait_more(server, count=100)
    server.kill()
    between[index].cut()
    for other in others:
        other.heal()

    quick = ",".join(f"127.0.0.1:{node.port}" for node in ensemble.nodes if node is not slow)
    with Records(ensemble, registry_name, hosts=quick) as records:
        old = records.of(number)
        if lands == "before the heir's write":
            for other in others:
                other.stall_before = b'"fence"'
            server.start(ready=False)
            wait_for(lambda: any(other.stalls for other in others), 30, "the heir's write")
            slow.resume()
            late = wait_for(lambda: changed(records.of(number), old), 30, "the dead owner's write")
            assert late.fields["owner"] == old.fields["owner"]
            assert late.fields["fence"] > old.fields["fence"]
            for other in others:
                other.stall_before = None
                other.heal()
        else:
            server.start()
            assert server.logged("resumed from the state file")
            slow.resume()
            wait_for(lambda: unread_bytes(slow.port) == 0 and slow.mode(), 30, "the follower to go on")
        wait_issuing(server)
        more = server.snowflake(count=3000)
        wait_heartbeat(server)
        more += server.snowflake(count=3000)
        # Whichever number it has now, the record says so.
        entry = records.of(worker_id(server))
        assert entry.fields["owner"] != old.fields["owner"]
        assert entry.fields["state"] == "held"
    assert_distinct(streams.ids() + more)
    assert {worker_of(each) for each in more} == {entry.number}
    if entry.number == number:
        assert max(map(timestamp_ms, streams.ids())) < min(map(timestamp_ms, more))
    assert lease_metric(server, "leases_lost_total") == 0


def changed(entry, before):
    return entry if entry.stat.version > before.stat.version else None


def unread_bytes(port):
    """What has arrived for the server at this port of 127.0.0.1 and was not read by it."""
    total = 0
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            is_listener = fields[3] == "0A"  # whose queue counts connections
            if int(fields[1].rsplit(":", 1)[1], 16) == port and not is_listener:
                total += int(fields[4].split(":")[1], 16)
    return total
