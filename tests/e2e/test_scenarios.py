"""Faults that users of such systems have met (the system and its report are named), each as a small scenario. Those that
need a stepping clock are in test_clock.py, those that need MariaDB in test_mariadb*.py, those about single inputs in
test_errors.py."""

import pathlib
import re
import threading

import pytest

from harness.ids import assert_distinct, expand
from harness.load import in_parallel
from harness.server import run_frond
from harness.waiting import wait_for

# --- worker ID


def test_shardingsphere_5822_no_default_worker(servers):
    """Two servers must not both be worker 0 because nobody said otherwise: without a number there is no start."""
    server = servers(snowflake__worker_id=None).init()
    server.launch()
    assert server.wait_exit() == 2
    assert "snowflake.worker_id: is not set" in server.log_text()


@pytest.mark.parametrize("bits, worker, accepted", [(10, 1023, True), (10, 1024, False), (5, 31, True), (5, 32, False),
                                                    (0, 0, True), (0, 1, False)])
def test_uid_generator_52_number_wider_than_its_field(folder, bits, worker, accepted):
    done = run_frond("check-config", "--set", "snowflake.registry=static", "--set", f"snowflake.worker_bits={bits}",
                     "--set", f"snowflake.worker_id={worker}", folder=folder)
    assert done.returncode == (0 if accepted else 2)


def test_leaf_74_names_with_dashes_dots_spaces(servers):
    for name in ("idgen-server", "a.b.c", "with space", "order-1-prod"):
        server = servers(snowflake__name=name, snowflake__worker_id=7).init().start()
        assert server.snowflake() >> 12 & 1023 == 7
    done = run_frond("check-config", "--set", "snowflake.name=a/b")
    assert done.returncode == 2


def test_polaris1119_timestamp_field_overflows(servers):
    """IDs must end with an error, never turn negative."""
    server = servers(snowflake__epoch="1950-01-01T00:00:00Z", snowflake__timestamp_bits=41).init().start(ready=False)
    reply = server.fetch("/api/snowflake/get/x")
    if reply.status == 200:
        assert reply.number() > 0
    full = servers(snowflake__epoch="1940-01-01T00:00:00Z", snowflake__timestamp_bits=41).init().start(ready=False)
    assert full.fetch("/api/snowflake/get/x").code() == "TIMESTAMP_EXHAUSTED"


# --- concurrency


@pytest.mark.threads
def test_seata_2972_and_uid_generator_105_last_slots_under_load(servers):
    """64 threads on ranges of 8."""
    server = servers().init().create_key("demo", 8).start()

    def client():
        with server.connect() as wire:
            return [wire.exchange("/api/segment/get/demo").number() for _ in range(100)]

    results = in_parallel([client] * 64)
    assert_distinct(number for numbers in results for number in numbers)


@pytest.mark.threads
def test_leaf_143_step_10_and_500_callers(servers):
    """"Two segments not ready": nobody gets an error because the step is small."""
    server = servers().init().create_key("demo", 10).start()
    barrier = threading.Barrier(500)

    def caller():
        with server.connect(timeout=30) as wire:
            barrier.wait()
            return wire.exchange("/api/segment/get/demo").number()

    assert sorted(in_parallel([caller] * 500)) == list(range(1, 501))


@pytest.mark.threads
def test_leaf_1_cold_key_with_500_callers(servers):
    """One advance serves them all."""
    server = servers().init().create_key("cold", 1000).start()
    barrier = threading.Barrier(500)

    def caller():
        with server.connect(timeout=30) as wire:
            barrier.wait()
            return wire.exchange("/api/segment/get/cold").number()

    assert sorted(in_parallel([caller] * 500)) == list(range(1, 501))


@pytest.mark.threads
def test_step_10_under_64_connections(servers):
    server = servers().init().create_key("demo", 10).start()

    def client():
        with server.connect() as wire:
            return [wire.exchange("/api/segment/get/demo").number() for _ in range(60)]

    results = in_parallel([client] * 64)
    assert_distinct(number for numbers in results for number in numbers)


def test_leaf_132_threads_stay_bounded_while_a_thousand_keys_wait(servers, own_mariadb):
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url).init().start()
    connection = own_mariadb.connect("ids")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES (%s, 1, 1000)",
                           [(f"key{number}",) for number in range(1000)])
    connection.close()

    def threads():
        return int(re.search(r"Threads:\s+(\d+)", pathlib.Path(f"/proc/{server.pid}/status").read_text()).group(1))

    before = threads()
    own_mariadb.pause()
    wires = [server.connect(timeout=30) for _ in range(1000)]
    for number, wire in enumerate(wires):
        wire.request(f"/api/segment/get/key{number}")
    assert server.snowflake() > 0
    assert threads() <= before + 8
    replies = [wire.reply() for wire in wires]
    assert {reply.status for reply in replies} == {503}
    own_mariadb.resume()
    for number, wire in enumerate(wires):
        wire.request(f"/api/segment/get/key{number}")
    statuses = [wire.reply().status for wire in wires]
    assert set(statuses) <= {200, 503}
    for wire in wires:
        wire.close()
    wait_for(lambda: all(server.fetch(f"/api/segment/get/key{number}").status == 200 for number in range(0, 1000, 50)), 20)


# --- segment mode


def test_leaf_15_restarts_skip_no_ids(servers):
    server = servers().init().create_key("demo", 2000)
    numbers = []
    for _ in range(10):
        server.start()
        numbers.append(server.segment())
        server.stop()
    assert numbers == list(range(1, 11))


@pytest.mark.parametrize("count", ["0", "-1", "", "1e9", "99999999999999999999", "1.5"])
def test_tinyid_22_count_0(server, count):
    reply = server.fetch(f"/api/segment/get/demo?count={count}")
    assert reply.status == 400
    assert reply.code() == "INVALID_COUNT"


def test_tinyid_step_0_does_not_loop(servers):
    import sqlite3

    server = servers().init().create_key("zero").create_key("odd", 20, "--delta", 10, "--remainder", 7)
    with sqlite3.connect(server.folder / "frond.db") as connection:
        connection.execute("UPDATE leaf_alloc SET step = 0 WHERE biz_tag = 'zero'")
        connection.execute("UPDATE leaf_alloc SET step = 2 WHERE biz_tag = 'odd'")
    connection.close()
    server.start()
    assert server.fetch("/api/segment/get/zero").code() == "KEY_MISCONFIGURED"
    # A range of 2 may hold no number that is 7 modulo 10: an error, or a range that is wide enough, but never a wrong one.
    reply = server.fetch("/api/segment/get/odd")
    assert reply.status in (200, 503)
    if reply.status == 200:
        assert reply.number() % 10 == 7


def test_leaf_key_with_a_dot_is_not_cut_off(servers):
    server = servers().init().create_key("order").start()
    assert server.fetch("/api/segment/get/order.pay").code() == "KEY_NOT_FOUND"
    server.create_key("order.pay", 50)
    wait_for(lambda: server.fetch("/api/segment/get/order.pay").status == 200, 2)
    assert server.segment("order") == 1


# --- consumers


def test_powercontext_91_ids_arrive_whole_in_javascript(server):
    """653247040368672768 arrives as ...672800 when it is a number in JSON."""
    text = server.fetch("/api/snowflake/get/x?count=10&format=json").text()
    assert not re.search(r"[^\"0-9]\d{16,}", text)
    text = server.fetch("/api/snowflake/get/x?count=10&format=ranges").text()
    assert not re.search(r"[^\"0-9]\d{16,}", text)


def test_bwmarrin_24_ids_of_a_day(server):
    bounds = server.fetch("/api/snowflake/bounds?from=2024-02-29T00:00:00Z&to=2024-02-29T23:59:59.999Z").json()
    for edge, expected in (("first", "2024-02-29T00:00:00.000Z"), ("last", "2024-02-29T23:59:59.999Z")):
        decoded = server.fetch(f"/api/snowflake/decode/{bounds[edge]}").json()
        assert decoded["time"] == expected


def test_bwmarrin_36_bulk(server):
    assert len(server.snowflake(count=1000)) == 1000
    assert len(expand(server.fetch("/api/segment/get/demo?count=1000&format=ranges"))) == 1000


# --- HTTP


def test_leaf_issues_burnt_by_head_and_crawlers(server):
    for method in ("HEAD", "OPTIONS", "PUT", "DELETE"):
        server.fetch("/api/segment/get/demo", method)
    assert server.segment() == 1


def test_leaf_disabled_mode_answers_0(servers):
    server = servers(segment__enabled=False, snowflake__enabled=False)
    server.launch()
    wait_for(lambda: not server.running() or server.logged("listen"), 10)
    if server.running():
        server.port, server.management_port = wait_for(server._addresses, 10)
        for mode in ("segment", "snowflake"):
            reply = server.fetch(f"/api/{mode}/get/x")
            assert reply.status == 404 and reply.body != b"0"
    else:
        assert server.wait_exit() == 2


@pytest.mark.threads
def test_ten_million_is_not_needed_to_see_a_torn_batch(server):
    """Batches that cross ranges, by many clients at once, each whole and in order."""
    def client():
        return [server.segment(count=700) for _ in range(20)]

    batches = [batch for batches in in_parallel([client] * 8) for batch in batches]
    assert all(batch == sorted(batch) and len(batch) == 700 for batch in batches)
    assert_distinct(number for batch in batches for number in batch)
