"""The harness itself: the servers, faults and looks at ZooKeeper that the tests of leases are made of."""

import pathlib
import time

import pytest
from kazoo.client import KazooState
from kazoo.exceptions import KazooException, NoNodeError

from harness.ids import worker_of
from harness.leaf import LeafError, LeafServer, leaf_data, make_parent, parse_data, parse_names
from harness.ports import give_back, take_port
from harness.records import Records
from harness.waiting import wait_for
from harness.zookeeper import Ensemble, Standalone
from harness.zookeeper_wire import close_session, java_random_bytes


class Watch:
    """Notes what becomes of the session of a Kazoo client."""

    def __init__(self, client):
        self.states = []
        client.add_listener(self.states.append)

    def expired(self):
        return KazooState.LOST in self.states


def offset_of(client, path):
    """Seconds that the server's clock is ahead of ours, by a write."""
    before = time.time()
    client.ensure_path(path)
    stat = client.set(path, b"")
    assert time.time() - before < 30
    return stat.mtime / 1000 - before


# --- servers


def test_standalone_serves(zookeeper):
    with zookeeper.client() as client:
        client.create("/hello", b"world")
        assert client.get("/hello")[0] == b"world"
        assert client.client_id[0] in zookeeper.sessions()
        client.delete("/hello")
    assert zookeeper.node.mode() == "standalone"


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_restart_keeps_data_and_port(own_zookeeper, end):
    port = own_zookeeper.port
    with own_zookeeper.client() as client:
        client.create("/kept", b"data")
    getattr(own_zookeeper, end)()
    assert own_zookeeper.serving() == []
    own_zookeeper.start()
    assert own_zookeeper.port == port
    with own_zookeeper.client() as client:
        assert client.get("/kept")[0] == b"data"


def test_nothing_is_left_at_the_end(zookeepers, fake_clocks):
    server = zookeepers(clock=fake_clocks("zookeeper"))
    pid = server.node.process.pid
    assert list(pathlib.Path("/dev/shm").glob(f"*faketime_*_{pid}"))
    server.pause()
    server.end()
    assert not pathlib.Path(f"/proc/{pid}").exists()
    assert not list(pathlib.Path("/dev/shm").glob(f"*faketime_*_{pid}"))


def test_server_that_ends_by_itself_is_no_endless_wait(zookeepers):
    server = zookeepers(start=False)
    server.node.configure({"tickTime": "nonsense"})
    with pytest.raises(AssertionError, match="ended by itself"):
        server.start()


def test_session_times_follow_the_settings(zookeepers):
    server = zookeepers(tick_ms=100, minSessionTimeout=700, maxSessionTimeout=900)
    for asked, granted in ((0.1, 700), (60, 900)):
        with server.client(timeout=asked):
            assert f",to={granted}," in server.node.ask("cons")


def test_ports_are_taken_once():
    ports = [take_port() for _ in range(50)]
    assert len(set(ports)) == 50
    for port in ports:
        give_back(port)


def test_ensemble_elects_and_replicates(ensemble):
    assert len(ensemble.serving()) == 3
    assert ensemble.leader() is not None
    assert len(ensemble.followers()) == 2
    with ensemble.client() as client:
        client.create("/everywhere", b"x")
    for node in ensemble.nodes:
        assert "Mode" in node.ask("srvr")
        wait_for(lambda: node.ask("srvr").split("Node count:")[1].split()[0] == "6", 10, f"{node} to have it")


def test_another_leads_after_the_leader_was_killed(ensemble):
    with ensemble.client() as client:
        client.create("/before", b"x")
    killed = ensemble.kill_leader()
    new = ensemble.wait_leader()
    assert new is not killed
    with ensemble.client() as client:
        assert client.exists("/before")
        client.create("/after", b"x")
    killed.start()
    assert killed.mode() == "follower"


def test_another_leads_while_the_leader_is_stopped(ensemble):
    stopped = ensemble.pause_leader()
    assert stopped.process.poll() is None
    new = ensemble.wait_leader()
    assert new is not stopped
    stopped.resume()
    wait_for(lambda: stopped.mode() == "follower", 60, "the old leader to follow")


def test_ensemble_without_a_majority_does_not_serve(ensemble):
    for node in ensemble.nodes[:2]:
        node.kill()
    wait_for(lambda: not ensemble.serving(), 60, "the last one to stop serving")
    ensemble.start()
    assert len(ensemble.serving()) == 3


def test_ensemble_keeps_data_over_a_restart_of_all(ensemble):
    with ensemble.client() as client:
        client.create("/kept", b"data")
    ensemble.kill()
    ensemble.start()
    with ensemble.client() as client:
        assert client.get("/kept")[0] == b"data"


def test_writes_since_a_backup_are_lost_with_it(own_zookeeper):
    with own_zookeeper.client() as client:
        client.create("/before", b"")
    own_zookeeper.save()
    with own_zookeeper.client() as client:
        client.create("/after", b"")
    own_zookeeper.restore()
    with own_zookeeper.client() as client:
        assert client.exists("/before") and not client.exists("/after")


# --- sessions


def test_random_bytes_are_those_of_java():
    # new java.util.Random(42).nextBytes(new byte[16]), by jshell
    assert java_random_bytes(42, 16).hex() == "359d41baf78afe0de1bbe7ae28c0450c"
    assert java_random_bytes(-1, 16).hex() == "b36cd944c3228770172024039eff4b8c"


def assert_expires(zookeeper):
    with zookeeper.client(timeout=60) as client:
        watch = Watch(client)
        session, _ = client.client_id
        client.create("/mine", b"", ephemeral=True)
        assert client.exists("/mine").ephemeralOwner == session
        zookeeper.expire_session(session)
        with zookeeper.client() as other:
            other.sync("/mine")
            assert not other.exists("/mine")
        # Long before the sixty seconds: the client is told, not timed out.
        wait_for(watch.expired, 30, "the client to be told")
        wait_for(lambda: client.connected and client.client_id[0] != session, 30, "a new session")


def test_expired_session_ends_for_its_client(zookeeper):
    assert_expires(zookeeper)


def test_expired_session_ends_for_its_client_in_an_ensemble(ensemble):
    for _ in range(3):  # Kazoo chooses a node by chance
        assert_expires(ensemble)


def test_other_sessions_live_on(zookeeper):
    with zookeeper.client() as one, zookeeper.client() as other:
        watch = Watch(other)
        kept = other.client_id[0]
        zookeeper.expire_session(one.client_id[0])
        other.sync("/")
        assert other.client_id[0] == kept
        assert not watch.expired()
        assert kept in zookeeper.sessions()


def test_unknown_session_cannot_be_ended(zookeeper):
    assert not close_session(zookeeper.port, 0x1234)
    with pytest.raises(AssertionError, match="no session"):
        zookeeper.expire_session(0x1234)


# --- clocks


@pytest.mark.parametrize("offset,seconds", [("-1h", -3600), ("+1d", 86400)])
def test_only_the_clock_of_zookeeper_is_wrong(zookeepers, fake_clocks, offset, seconds):
    clock = fake_clocks("zookeeper", offset)
    server = zookeepers(clock=clock)
    with server.client() as client:
        session = client.client_id[0]
        assert abs(offset_of(client, "/a") - seconds) < 30
        clock.step("+0")
        assert abs(offset_of(client, "/a")) < 30
        clock.step(offset)
        assert abs(offset_of(client, "/a") - seconds) < 30
        # Sessions go by the steady clock: no step has ended this one.
        assert client.client_id[0] == session and session in server.sessions()


def test_one_clock_of_an_ensemble_is_wrong(zookeepers, fake_clocks):
    """The leader dates the writes, whichever node a client is connected to."""
    ensemble = zookeepers(Ensemble, clocks={3: fake_clocks("three", "-1h")})
    with ensemble.client() as client:
        expected = -3600 if ensemble.leader().number == 3 else 0
        assert abs(offset_of(client, "/a") - expected) < 30


# --- connections


def test_relayed_connection_that_is_cut_comes_back(zookeeper, relays):
    front = relays(zookeeper)
    with zookeeper.client(hosts=front.connect_string, timeout=30) as client:
        watch = Watch(client)
        session = client.client_id[0]
        front.cut()
        wait_for(lambda: not client.connected, 10, "the loss")
        front.heal()
        wait_for(lambda: client.connected, 30, "the connection")
        assert client.client_id[0] == session
        assert watch.states[0] == KazooState.SUSPENDED and not watch.expired()


def test_stalled_request_arrives_after_all(zookeeper, relays, registry_name):
    front = relays(zookeeper)
    path = f"/{registry_name}"
    with zookeeper.client() as direct, zookeeper.client(hosts=front.connect_string, timeout=60) as client:
        front.stall()
        pending = client.create_async(path, b"late")
        for _ in range(20):  # enough for it to have come through if it could
            assert direct.exists(path) is None
        assert not pending.ready()
        front.heal()
        assert pending.get(timeout=30) == path
        assert direct.get(path)[0] == b"late"


def test_request_arrives_and_its_reply_does_not(zookeeper, relays, registry_name):
    front = relays(zookeeper)
    path = f"/{registry_name}"
    with zookeeper.client() as direct, zookeeper.client(hosts=front.connect_string, timeout=60) as client:
        session = client.client_id[0]
        front.lose_replies()
        pending = client.create_async(path, b"")
        wait_for(lambda: direct.exists(path), 10, "the node")
        wait_for(lambda: front[0].lost_bytes, 10, "the reply")
        assert not pending.ready()
        front.heal()  # ends the connection, and so the wait
        with pytest.raises(KazooException):
            pending.get(timeout=30)
        wait_for(lambda: client.connected, 30, "the connection")
        assert client.client_id[0] == session


def test_connection_is_cut_behind_one_request(zookeeper, relays, registry_name):
    front = relays(zookeeper)
    with zookeeper.client() as direct, zookeeper.client(hosts=front.connect_string, timeout=60) as client:
        client.create(f"/{registry_name}", b"")
        front[0].cut_after = b"the data"
        with pytest.raises(KazooException):
            client.create_async(f"/{registry_name}/child", b"the data").get(timeout=30)
        wait_for(lambda: direct.exists(f"/{registry_name}/child"), 10, "the node")
        wait_for(lambda: front[0].cuts == 1, 10)


# --- records


def test_records_of_an_unknown_name(records):
    assert records.all() == records.live() == []
    assert records.parent() is None and records.name_node() is None


def test_records_are_read_with_their_stat(zookeeper, registry_name):
    with Records(zookeeper, registry_name) as records, records.client() as client:
        prefix = f"{records.forever}/frond:{'ab' * 16}-"
        for fence in (100, 200):
            client.create(prefix, b'{"fence": %d}' % fence, sequence=True, makepath=True)
        client.set(records.of(1).path, b'{"fence": 300}')
        client.create(records.frond, b'{"id": "x"}')
        client.create(f"{records.live_parent}/me", b"", ephemeral=True, makepath=True)
        assert [(entry.number, entry.stat.version) for entry in records.all()] == [(0, 0), (1, 1)]
        assert records.fence(0) == 100 and records.fence(1) == 300
        assert abs(records.of(1).stat.mtime / 1000 - time.time()) < 30
        assert records.name_node().fields == {"id": "x"}
        assert records.parent().stat.numChildren == 2
        assert [entry.session for entry in records.live()] == [client.client_id[0]]
        assert parse_names(records.names()) == {f"frond:{'ab' * 16}": pytest.approx(0, abs=1)}
    assert [entry.is_frond for entry in Records(zookeeper, registry_name).all()] == [True, True]


# --- Frond


def test_frond_leases_from_it(frond, zookeeper, records):
    both = [frond(segment__enabled=False).start() for _ in range(2)]
    numbers = {worker_of(server.snowflake()) for server in both}
    assert len(numbers) == 2
    assert numbers <= {entry.number for entry in records.frond_records()}
    assert {entry.fields["identity"] for entry in records.live()} == {"frond0", "frond1"}
    assert {entry.session for entry in records.live()} <= zookeeper.sessions()


@pytest.mark.parametrize("kind", [Standalone, Ensemble])
def test_session_of_frond_can_be_expired(frond, zookeepers, relays, registry_name, kind):
    """Its own client library is told; it makes a new session and goes on with the record."""
    zookeeper = zookeepers(kind)
    server = frond(zookeeper=relays(zookeeper), segment__enabled=False, snowflake__heartbeat="200ms").start()
    number = worker_of(server.snowflake())
    with Records(zookeeper, registry_name) as records:
        sign, = records.live()
        zookeeper.expire_session(sign.session)
        assert sign.session not in {each.session for each in records.live()}
        version = records.of(number).stat.version
        wait_for(lambda: records.of(number).stat.version > version + 1, 30, "heartbeats")
    assert worker_of(server.snowflake()) == number


# --- Leaf


def test_leaf_servers_number_themselves(zookeeper, records, registry_name):
    with zookeeper.client() as client:
        leaves = make_parent(client, registry_name, [("10.1.2.3", 8080), ("10.1.2.4", 8080)])
        assert [leaf.worker_id for leaf in leaves] == [0, 1]
        assert [entry.name for entry in records.leaf_records()] == [
            "10.1.2.3:8080-0000000000", "10.1.2.4:8080-0000000001",
        ]
        assert records.frond_records() == []
        again = LeafServer(client, registry_name, "10.1.2.4", 8080)
        assert again.start() == 1
        assert LeafServer(client, registry_name, "10.1.2.5", 8080).start() == 2
        again.heartbeat()
    record = records.of(1)
    assert record.stat.version == 2
    assert record.fields == {**parse_data(record.data), "ip": "10.1.2.4", "port": "8080"}
    assert abs(record.fields["timestamp"] / 1000 - time.time()) < 30


def test_leaf_server_with_a_slow_clock_does_not_start(zookeeper, registry_name):
    with zookeeper.client() as client:
        leaf, = make_parent(client, registry_name, [("10.1.2.3", 8080)])
        client.set(leaf.path, leaf.data(timestamp=int(time.time() * 1000) + 60_000))
        with pytest.raises(LeafError, match="clock"):
            leaf.start()


def test_leaf_takes_zero_where_there_is_no_parent(zookeeper, records, registry_name):
    """Two at the same moment: both find none, and the second one's number is lost on it."""
    with zookeeper.client() as client:
        first = LeafServer(client, registry_name, "10.1.2.3", 8080)
        second = LeafServer(client, registry_name, "10.1.2.4", 8080)
        first.start()
        second.client = Blind(client)
        assert second.start() == 0
        assert records.of(1).name.startswith(second.address)


class Blind:
    """A client that sees no children yet."""

    def __init__(self, client):
        self.create = client.create

    @staticmethod
    def get_children(path):
        raise NoNodeError(path)


def test_leaf_reads_names():
    names = ["10.1.2.3:8080-0000000007", f"frond:{'0f' * 16}-0000000012", ":8080-0000001023"]
    assert parse_names(names) == {"10.1.2.3:8080": 7, f"frond:{'0f' * 16}": 12, ":8080": 1023}
    for name in ("frond", "frond-", "frond:a-b-0000000001", "frond- 7", "frond-4294967296", "a--1"):
        with pytest.raises(LeafError):
            parse_names([*names, name])


def test_leaf_reads_its_own_data_only():
    assert parse_data(leaf_data("10.1.2.3", 8080, 5)) == {"ip": "10.1.2.3", "port": "8080", "timestamp": 5}
    for data in (b"", b"[]", b'{"ip":"","port":"","timestamp":0,"fence":1}'):
        with pytest.raises(LeafError):
            parse_data(data)
