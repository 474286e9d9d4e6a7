"""Frond joins a parent that Leaf servers use, or will use: one counter for all, and Leaf's nodes stay as they are."""

import json

import pytest

from harness.ids import assert_distinct, worker_of
from harness.leaf import LeafServer, make_parent, parse_data, parse_names
from harness.records import Records
from harness.taken import Taken
from harness.waiting import wait_for

ADDRESSES = [("10.0.0.1", 8080), ("10.0.0.2", 8080), ("10.0.0.3", 9090)]
PLAIN = {"segment__enabled": False, "snowflake__heartbeat": "100ms"}
SHORT = {**PLAIN, "snowflake__fence_window": "1s", "snowflake__max_clock_skew": "1s", "snowflake__max_ahead": "500ms"}
NAMES = ["orders-eu.west-1", "-", "a.b-c_d", "naïve.Größe-ü", "заказы-1.2", "順序"]


@pytest.fixture
def client(zookeeper):
    with zookeeper.client() as client:
        yield client


def everything(records):
    """What a write, a deletion or a take-over of Leaf's nodes would change."""
    return {entry.path: (entry.data, entry.stat.mzxid, entry.stat.version, entry.stat.ephemeralOwner)
            for entry in records.leaf_records()}


def assert_leaf_can_read(records):
    """Leaf's parsing of all names, and of the data of its own nodes."""
    entries = records.all()
    numbers = parse_names([entry.name for entry in entries])
    for entry in entries:
        prefix = entry.name.split("-")[0]
        if entry.is_frond:  # two of them may have one maker
            assert parse_names([entry.name]) == {prefix: entry.number}
        else:
            assert numbers[prefix] == entry.number
            parse_data(entry.data)


def worker(server):
    return worker_of(server.snowflake())


# --- one counter


@pytest.mark.threads
def test_numbers_come_from_one_counter(frond, client, registry_name, records):
    leaves = make_parent(client, registry_name, ADDRESSES)
    numbers = [leaf.worker_id for leaf in leaves]
    for turn in range(4):
        numbers.append(worker(frond(**PLAIN).start()))
        later = LeafServer(client, registry_name, "10.0.1.1", 8080 + turn)
        numbers.append(later.start())
    assert numbers == list(range(len(numbers)))
    assert_leaf_can_read(records)
    # Leaf servers that come back find their own numbers.
    for leaf in leaves:
        assert LeafServer(client, registry_name, leaf.ip, leaf.port).start() == leaf.worker_id
    assert records.parent().stat.numChildren == len(numbers)


def test_fronds_that_start_at_once_between_leaf_servers(frond, client, registry_name, records):
    make_parent(client, registry_name, ADDRESSES)
    servers = [frond(**PLAIN).launch() for _ in range(4)]
    later = [LeafServer(client, registry_name, "10.0.1.1", port).start() for port in range(8080, 8084)]
    for server in servers:
        server.port, server.management_port = wait_for(server._addresses, 30, "the start line")
        wait_for(server.is_ready, 30, "/readyz")
    numbers = [0, 1, 2, *later, *map(worker, servers)]
    assert_distinct(numbers)
    assert_leaf_can_read(records)


# --- Leaf's nodes are Leaf's


@pytest.mark.parametrize("age", ["now", "years ago", "in the future"])
def test_leaf_nodes_are_never_touched(frond, client, registry_name, records, age):
    """Not even while Frond's own numbers go from hand to hand, and Leaf's are those of servers that are long dead."""
    leaves = make_parent(client, registry_name, ADDRESSES)
    if age != "now":
        for leaf in leaves:
            client.set(leaf.path, leaf.data(1 if age == "years ago" else 4_000_000_000_000))
    before = everything(records)
    taken = Taken(max_ahead_ms=500)
    for turn in range(4):
        server = frond(snowflake__state_dir="", **SHORT).start()
        taken.take(server)
        server.kill() if turn % 2 else server.stop()
    # When the fences of those that were killed have passed, their numbers are taken over.
    latest = max(entry.fields["fence"] for entry in records.frond_records())
    wait_for(lambda: latest + 1500 < now_of(client, registry_name), 20, "the fences to pass")
    numbers = {entry.number for entry in records.frond_records()}
    heirs = [frond(snowflake__identity=f"heir {n}", **SHORT).start() for n in range(len(numbers) + 1)]
    for heir in heirs:
        taken.take(heir)
    assert numbers < {worker(heir) for heir in heirs}
    taken.assert_distinct()
    assert min(taken.workers) >= len(ADDRESSES)
    for heir in heirs:
        heir.stop()
    assert everything(records) == before
    assert_leaf_can_read(records)


def now_of(client, name):
    """ZooKeeper's clock."""
    client.ensure_path(f"/clock-{name}")
    return client.set(f"/clock-{name}", b"").mtime


def test_what_frond_does_not_understand_stays_as_it_is(frond, client, registry_name, records):
    """Nodes of somebody else, and data that nobody can read."""
    leaf, = make_parent(client, registry_name, ADDRESSES[:1])
    client.set(leaf.path, b"\xff not JSON")
    client.create(f"{records.forever}/10.0.0.9:80-", b"", sequence=True)
    before = everything(records)
    assert worker(frond(**PLAIN).start()) == 2
    assert everything(records) == before


# --- a Leaf server started later


def test_a_leaf_server_at_our_address_does_not_adopt_our_node(frond, client, registry_name, records):
    """Whatever the identity of the instance is: its default is an address."""
    server = frond(**{**PLAIN, "snowflake__identity": None}).start()
    mine = records.of(worker(server))
    addresses = {(mine.fields["ip"], mine.fields["port"]), ("127.0.0.1", str(server.port)),
                 tuple(mine.fields["identity"].rsplit(":", 1))}
    for ip, port in addresses:
        leaf = LeafServer(client, registry_name, ip, port)
        assert leaf.start() != mine.number
        leaf.heartbeat()
        assert leaf.path != mine.path
    server.restart()
    assert worker(server) == mine.number
    assert records.of(mine.number).path == mine.path
    assert_leaf_can_read(records)


def test_number_0_of_a_parent_made_by_frond_is_never_used(frond, client, registry_name, records):
    """A Leaf server that saw no parent just before runs as 0, whatever number it is given."""
    late = LeafServer(client, registry_name, "10.0.0.1", 8080)
    assert client.exists(late.parent) is None
    taken = Taken(max_ahead_ms=500)
    for turn in range(6):
        server = frond(snowflake__state_dir="", **SHORT).start()
        taken.take(server)
        server.kill() if turn % 2 else server.stop()
    late._create()  # what start() goes on with after it has seen none
    together = [frond(snowflake__identity=f"together {n}", **SHORT).start() for n in range(5)]
    for server in together:
        taken.take(server)
    assert 0 not in taken.workers
    taken.assert_distinct()
    assert int(late.path[-10:]) not in taken.workers
    assert_leaf_can_read(records)


def test_beside_leaf_the_layout_must_be_that_of_leaf(frond, client, registry_name, records):
    make_parent(client, registry_name, ADDRESSES)
    before = records.names()
    server = frond(snowflake__worker_id_offset=8).init().create_key("demo").start()
    text = wait_for(lambda: text_with(server, "made by Leaf"), 20, "the reason")
    assert "10.0.0." in text and "worker_id_offset must be 0" in text
    assert server.fetch("/api/snowflake/get/x").code() == "WORKER_UNAVAILABLE"
    assert server.segment() > 0
    assert records.names() == before


def text_with(server, words):
    text = server.manage("/readyz?verbose").text()
    return text if words in text else None


# --- names


@pytest.mark.parametrize("name", NAMES)
def test_names_in_zookeeper(frond, client, zookeeper, name, registry_name):
    name = name + registry_name  # other tests use the same server
    records = Records(zookeeper, name)
    leaf, = make_parent(client, name, ADDRESSES[:1])
    first, second = (frond(snowflake__name=name, **PLAIN).start() for _ in range(2))
    numbers = [worker(first), worker(second)]
    assert numbers == [1, 2]
    first.kill()
    first.start()
    second.restart()
    assert [worker(first), worker(second)] == numbers
    assert [entry.number for entry in records.frond_records()] == numbers
    assert records.frond_records()[0].path.startswith(f"/snowflake/{name}/forever/frond:")
    assert LeafServer(client, name, leaf.ip, leaf.port).start() == 0
    assert_leaf_can_read(records)


def two_in_a_database(servers, name, **options):
    lease = {**PLAIN, "snowflake__registry": "database", "snowflake__worker_id": None, "snowflake__name": name}
    first = servers(snowflake__identity="first", **lease, **options).init().start()
    second = servers(snowflake__identity="second", **{**lease, "database": first.database}).start()
    numbers = [worker(first), worker(second)]
    assert len(set(numbers)) == 2
    first.kill()
    first.start()
    second.restart()
    assert [worker(first), worker(second)] == numbers
    listed = json.loads(first.command("worker", "list", "--json", "--set", f"snowflake.name={name}").stdout)
    assert {each["worker_id"] for each in listed["workers"]} >= set(numbers)
    # Another name is another world, however alike.
    other = servers(snowflake__identity="other", **{**lease, "database": first.database, "snowflake__name": name + "x"})
    assert worker(other.start()) == min(numbers)


@pytest.mark.parametrize("name", [*NAMES, "🐸"])  # which ZooKeeper's paths cannot hold
def test_names_in_sqlite(servers, name):
    two_in_a_database(servers, name)


@pytest.mark.parametrize("name", ["orders-eu.west-1", "Größe-1", "順序.🐸"])
def test_names_in_mariadb(servers, database, name):
    two_in_a_database(servers, name, database=database.url)


# --- leaf.properties


@pytest.fixture
def with_leaf_properties(frond, folder, zookeeper):
    """Makes servers that read everything about leases from a leaf.properties file."""

    def make(name, port):
        file = folder / f"{port}" / "leaf.properties"
        file.parent.mkdir()
        file.write_text(f"leaf.name={name}\nleaf.segment.enable=false\nleaf.snowflake.enable=true\n"
                        f"leaf.snowflake.zk.address={zookeeper.connect_string}\nleaf.snowflake.port={port}\n")
        nothing = {"snowflake__name": None, "snowflake__registry": None, "snowflake__identity": None,
                   "zookeeper__connect": None}
        return frond(arguments=["--config", str(file)], snowflake__heartbeat="100ms", **nothing)

    return make


@pytest.mark.parametrize("written,name", [
    ("com.sankuai.leaf-test", "com.sankuai.leaf-test"),
    ("\\u8ba2\\u5355-eu.1", "订单-eu.1"),
])
def test_leaf_properties(with_leaf_properties, client, zookeeper, registry_name, written, name):
    name, written = name + registry_name, written + registry_name
    records = Records(zookeeper, name)
    leaves = make_parent(client, name, ADDRESSES)
    before = everything(records)
    servers = [with_leaf_properties(written, port).start() for port in (8080, 8081)]
    assert [worker(server) for server in servers] == [3, 4]
    assert [entry.fields["identity"].rsplit(":", 1)[1] for entry in records.frond_records()] == ["8080", "8081"]
    servers[0].kill()
    servers[0].start()
    assert worker(servers[0]) == 3
    assert everything(records) == before
    assert_leaf_can_read(records)
    assert LeafServer(client, name, leaves[0].ip, leaves[0].port).start() == 0
