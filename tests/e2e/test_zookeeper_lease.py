"""Worker IDs leased from real ZooKeeper servers, which are restarted, killed, stopped and cut off meanwhile."""

import time

import pytest

from harness.ids import assert_distinct, timestamp_ms
from harness.instances import (Streams, lease_metric, snowflake_ready, snowflake_state, start_together, wait_heartbeat,
                               wait_issuing, worker_id, worker_ids)
from harness.records import Records
from harness.waiting import SANITIZER, wait_for
from harness.zookeeper import Ensemble, Standalone

INSTANCES = {None: 12, "asan": 12, "tsan": 4}[SANITIZER]
MANY = "/api/snowflake/get/x?count=20&format=ranges"

# Heartbeats often enough to wait for; the fence is 15 minutes ahead.
ALONE = {"segment__enabled": False, "snowflake__heartbeat": "300ms"}
# Sessions whose connection hangs are given up after two seconds.
BRISK = {**ALONE, "zookeeper__session_timeout": "3s"}
# Issues for five seconds after its last heartbeat.
SHORT_FENCE = {
    **BRISK,
    "snowflake__heartbeat": "500ms",
    "snowflake__fence_window": "5s",
    "snowflake__max_clock_skew": "1s",
    "snowflake__max_ahead": "200ms",
}
# The time in IDs follows the wall clock to within this.
CLOCK_NOISE_MS = 20


def numbers_of(records):
    return {entry.number for entry in records.frond_records()}


# --- many at once


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", [Standalone, Ensemble])
def test_twelve_at_once_get_twelve_numbers(frond, zookeepers, registry_name, kind):
    """On an empty registry, and after every ZooKeeper node was restarted, while those that run go on."""
    zookeeper = zookeepers(kind)
    first = start_together([frond(zookeeper=zookeeper, **ALONE) for _ in range(INSTANCES)])
    before = worker_ids(first)
    # 0 is never given out, since a Leaf server may run as 0 unasked.
    assert sorted(before) == list(range(1, INSTANCES + 1))
    with Streams(first, MANY, pause=0.05) as streams:
        zookeeper.restart()
        for server in first:
            wait_heartbeat(server)
        second = start_together([frond(zookeeper=zookeeper, **ALONE) for _ in range(INSTANCES)])
        after = worker_ids(second)
        more = [number for server in first + second for number in server.snowflake(count=2000)]
    assert not streams.failures()
    assert worker_ids(first) == before
    assert len(set(before + after)) == 2 * INSTANCES
    assert_distinct(streams.ids() + more)
    assert numbers_of(Records(zookeeper, registry_name)) >= set(before + after)


# --- the leader


@pytest.mark.timeout(180)
@pytest.mark.parametrize("fault, mend", [("kill_leader", "start"), ("pause_leader", "resume")])
def test_the_leader_goes_and_comes_back(frond, ensemble, registry_name, fault, mend):
    servers = start_together([frond(zookeeper=ensemble, **BRISK) for _ in range(3)])
    before = worker_ids(servers)
    with Streams(servers, MANY) as streams:
        old = getattr(ensemble, fault)()
        new = ensemble.wait_leader()
        assert new is not old
        for server in servers:
            wait_heartbeat(server)
        late = frond(zookeeper=ensemble, **BRISK).start()
        getattr(old, mend)()
        ensemble.wait_serving()
        for server in servers + [late]:
            wait_heartbeat(server)
        assert all(snowflake_ready(server) for server in servers)
        more = late.snowflake(count=1000)
    assert not streams.failures()
    assert worker_ids(servers) == before
    assert worker_id(late) not in before
    assert_distinct(streams.ids() + more)
    assert all(lease_metric(server, "leases_lost_total") == 0 for server in servers)
    assert numbers_of(Records(ensemble, registry_name)) >= set(before)


# --- nobody answers


@pytest.mark.timeout(300)
def test_a_minute_without_the_ensemble(frond, ensemble):
    """The fence is further ahead: nobody but the operator notices."""
    servers = start_together([frond(zookeeper=ensemble, **BRISK) for _ in range(3)])
    before = worker_ids(servers)
    with Streams(servers, MANY) as streams:
        ensemble.kill()
        back = time.monotonic() + 60
        while time.monotonic() < back:
            for server in servers:
                assert server.is_ready() and snowflake_ready(server), snowflake_state(server)
            time.sleep(0.2)
        assert [lease_metric(server, "registry_up") for server in servers] == [0, 0, 0]
        ensemble.start()
        for server in servers:
            wait_heartbeat(server)
            assert lease_metric(server, "registry_up") == 1
            streams.wait_more(server)
    assert not streams.failures()
    assert_distinct(streams.ids())
    assert worker_ids(servers) == before
    for server in servers:
        assert len(server.logged("IDs go on up to the fence")) == 1
        assert lease_metric(server, "leases_lost_total") == 0


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind, fault, mend", [(Ensemble, "kill", "start"), (Standalone, "pause", "resume")])
def test_ids_stop_at_the_fence_and_not_before(frond, zookeepers, registry_name, kind, fault, mend):
    zookeeper = zookeepers(kind)
    servers = start_together([frond(zookeeper=zookeeper, **SHORT_FENCE) for _ in range(3)])
    before = worker_ids(servers)
    with Streams(servers, pause=0.005) as streams:
        with Records(zookeeper, registry_name) as records:
            for server in servers:
                wait_heartbeat(server)
            read = [records.fence(number) for number in before]
            getattr(zookeeper, fault)()
        for server in servers:
            wait_for(lambda server=server: len(streams.failures(server)) >= 20, 30, "errors")
            assert not snowflake_ready(server)
            assert "its fence" in snowflake_state(server) and "has passed" in snowflake_state(server)
        # The last that the registry confirmed; it may have confirmed one more between the look and the fault.
        fences = [lease_metric(server, "fence_milliseconds") for server in servers]
        getattr(zookeeper, mend)()
        for server in servers:
            wait_issuing(server)
            streams.wait_more(server)
            wait_for(lambda server=server: snowflake_ready(server), 10, "readiness")

    assert_distinct(streams.ids())
    assert worker_ids(servers) == before
    for server, fence, least in zip(servers, fences, read):
        assert fence >= least
        assert lease_metric(server, "leases_lost_total") == 0
        assert [status for status, _ in streams.phases(server)] == [200, 503, 200]
        (_, issued), (_, refused), (_, again) = streams.phases(server)
        last = timestamp_ms(issued[-1].reply.number())
        assert fence - 4000 < last <= fence
        assert all(timestamp_ms(sample.reply.number()) <= fence for sample in issued)
        assert streams.received_ms(refused[0]) > fence - CLOCK_NOISE_MS
        assert {sample.reply.code() for sample in refused} == {"WORKER_UNAVAILABLE"}
        assert {sample.reply.header("retry-after") for sample in refused} == {"1"}
        assert timestamp_ms(again[0].reply.number()) > fence


# --- sessions and connections


@pytest.mark.threads
def test_an_expired_session_is_no_loss(frond, zookeeper, records):
    server = frond(**BRISK).start()
    number = worker_id(server)
    with Streams([server], MANY) as streams, records:
        for _ in range(3):
            sign, = records.live()
            zookeeper.expire_session(sign.session)
            new, = wait_for(records.live, 60, "presence in a new session")
            assert new.session != sign.session
            assert new.fields["identity"] == sign.fields["identity"] == "frond0"
            wait_heartbeat(server)
            streams.wait_more(server)
    assert not streams.failures()
    assert_distinct(streams.ids())
    assert worker_id(server) == number
    assert lease_metric(server, "leases_lost_total") == 0
    assert lease_metric(server, "leases_taken_total") == 1


@pytest.mark.timeout(180)
def test_connections_fail_in_every_way(frond, zookeeper, relays):
    """Cut, hanging, and with replies that never arrive, so that the outcome of writes is unknown."""
    between = relays(zookeeper)
    servers = start_together([frond(zookeeper=between, **BRISK) for _ in range(3)])
    before = worker_ids(servers)
    with Streams(servers, MANY) as streams:
        for fault in ("cut", "stall", "lose_replies"):
            errors = [lease_metric(server, "registry_errors_total") for server in servers]
            getattr(between, fault)()
            for server, count in zip(servers, errors):
                wait_for(lambda server=server, count=count: lease_metric(server, "registry_errors_total") > count, 60,
                         "a call that fails")
            between.heal()
            for server in servers:
                wait_heartbeat(server)
                streams.wait_more(server)
    assert between[0].lost_bytes > 0
    assert not streams.failures()
    assert_distinct(streams.ids())
    assert worker_ids(servers) == before
    assert all(lease_metric(server, "leases_lost_total") == 0 for server in servers)


@pytest.mark.threads
@pytest.mark.timeout(180)
def test_writes_whose_answer_is_lost(frond, zookeeper, relays, records):
    """The node of a create is found again, and a heartbeat that arrived counts: no number is lost or taken twice."""
    first = frond(**BRISK).start()
    ways = [relays(zookeeper) for _ in range(3)]
    servers = [frond(zookeeper=way, **BRISK) for way in ways]
    for way in ways:
        way[0].cut_after = b'"fence"'  # of a record; the first is that of the create
    for server in servers:
        server.start(ready=False)
    for way in ways:
        wait_for(lambda way=way: way[0].cuts >= 1, 60, "a create without an answer")
        way[0].cut_after = None
    for server in servers:
        wait_issuing(server)
    before = worker_ids(servers)
    assert len({worker_id(first), *before}) == 4
    # With the number 0, which nobody gets: all that were ever made.
    assert numbers_of(records) == {0, worker_id(first), *before}

    with Streams(servers, MANY) as streams:
        for _ in range(3):
            for way in ways:
                cuts = way[0].cuts
                way[0].cut_after = b'"fence"'
                wait_for(lambda way=way, cuts=cuts: way[0].cuts > cuts, 60, "a heartbeat without an answer")
                way[0].cut_after = None
            for server in servers:
                wait_heartbeat(server)
                streams.wait_more(server)
    assert not streams.failures()
    assert_distinct(streams.ids())
    assert worker_ids(servers) == before
    assert all(lease_metric(server, "leases_lost_total") == 0 for server in servers)
