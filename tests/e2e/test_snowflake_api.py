"""Snowflake mode over HTTP."""

import collections
import json
import time

import pytest

from harness.ids import assert_distinct, expand, timestamp_ms, worker_of
from harness.load import in_parallel
from harness.waiting import PATIENCE


def now_ms():
    return time.time_ns() // 1_000_000


def test_single_get_is_bare_digits(server):
    before = now_ms()
    reply = server.fetch("/api/snowflake/get/demo")
    assert reply.header("content-type").split(";")[0] == "text/plain"
    assert reply.header("cache-control") == "no-store"
    number = reply.number()
    assert worker_of(number) == 0
    assert before - 1 <= timestamp_ms(number) <= now_ms() + 1000 * PATIENCE


def test_any_key_is_accepted(server):
    numbers = [server.snowflake(key) for key in ("demo", "no-such-key", "order.pay", "%F0%9F%A6%80", "x%2Fy", "k" * 128)]
    assert_distinct(numbers)


def test_numbers_grow(server):
    with server.connect() as wire:
        numbers = [wire.exchange("/api/snowflake/get/a").number() for _ in range(2000)]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("count", [1, 2, 1000, 4097, 100_000])
def test_batch_in_every_format(server, count):
    text = server.fetch(f"/api/snowflake/get/demo?count={count}").numbers()
    document = server.fetch(f"/api/snowflake/get/demo?count={count}&format=json").json()
    ranges = expand(server.fetch(f"/api/snowflake/get/demo?count={count}&format=ranges"))
    strings = document["ids"]
    assert document["key"] == "demo" and all(isinstance(number, str) for number in strings)
    numbers = text + [int(number) for number in strings] + ranges
    assert len(text) == len(strings) == len(ranges) == count
    assert numbers == sorted(set(numbers))
    assert all(worker_of(number) == 0 for number in numbers)


def test_format_without_count_is_a_batch_of_one(server):
    assert len(server.fetch("/api/snowflake/get/demo?format=json").json()["ids"]) == 1
    assert len(expand(server.fetch("/api/snowflake/get/demo?format=ranges"))) == 1


def test_post_issues_and_head_does_not(server):
    assert server.fetch("/api/snowflake/get/demo", "POST").number() > 0
    reply = server.fetch("/api/snowflake/get/demo", "HEAD")
    assert reply.status == 405
    assert sorted(reply.header("allow").replace(" ", "").split(",")) == ["GET", "POST"]


def test_low_bits_are_spread_at_low_rate(server):
    """Users shard by id % 16, % 10 or % 3; a sequence that begins at 0 each millisecond would fill one shard."""
    numbers = []
    with server.connect() as wire:
        for _ in range(480):
            numbers.append(wire.exchange("/api/snowflake/get/a").number())
            time.sleep(0.0015)
    for shards in (16, 10, 3):
        counts = collections.Counter(number % shards for number in numbers)
        assert len(counts) == shards
        assert max(counts.values()) <= 2 * len(numbers) / shards, (shards, counts)


def test_json_numbers_survive_a_javascript_reader(server):
    """A reader that keeps numbers as doubles must not see a changed ID."""
    text = server.fetch("/api/snowflake/get/demo?count=100&format=json").text()
    ids = json.loads(text, parse_int=float)["ids"]
    assert_distinct(int(number) for number in ids)


@pytest.mark.threads
def test_distinct_over_connections_and_batches(server):
    def client(count, rounds):
        numbers = []
        with server.connect() as wire:
            for _ in range(rounds):
                numbers += wire.exchange(f"/api/snowflake/get/demo?count={count}").numbers()
        return numbers

    works = [lambda: client(1, 300)] * 4 + [lambda: client(1000, 40)] * 3 + [lambda: client(50_000, 3)] * 2
    assert_distinct(number for numbers in in_parallel(works) for number in numbers)


def test_runs_ahead_of_the_clock_by_max_ahead_at_most(servers):
    server = servers(snowflake__max_ahead="200ms").init().start()
    for _ in range(20):
        numbers = server.snowflake(count=100_000)
        assert timestamp_ms(numbers[-1]) <= now_ms() + 200


def test_waits_for_the_clock_and_then_says_so(servers):
    """4 IDs a millisecond, one second of lead: batches of 2,000 at once soon have to wait; those whose turn does not
    come in time are refused whole."""
    server = servers(snowflake__sequence_bits=2, segment__refill_timeout="1s").init().start()
    replies = in_parallel([lambda: server.fetch("/api/snowflake/get/demo?count=2000") for _ in range(8)])
    good = [reply for reply in replies if reply.status == 200]
    bad = [reply for reply in replies if reply.status != 200]
    assert good and bad
    for reply in bad:
        assert reply.status == 503
        assert reply.code() == "SNOWFLAKE_OVERLOADED"
        assert int(reply.header("retry-after")) >= 1
    assert_distinct(number for reply in good for number in reply.numbers())


def test_another_layout_and_epoch(servers):
    server = servers(snowflake__epoch="2020-01-01T00:00:00Z", snowflake__timestamp_bits=40, snowflake__worker_bits=5,
                     snowflake__sequence_bits=8, snowflake__worker_id=21).init().start()
    before = now_ms()
    number = server.snowflake()
    assert worker_of(number, 5, 8) == 21
    assert before <= timestamp_ms(number, 1577836800000, 5, 8) + 1
    decoded = server.fetch(f"/api/snowflake/decode/{number}").json()
    assert decoded["worker_id"] == 21
    assert abs(decoded["timestamp_ms"] - before) < 5000 * PATIENCE


def test_layout_without_worker_bits(servers):
    server = servers(snowflake__worker_bits=0, snowflake__sequence_bits=22).init().start()
    numbers = server.snowflake(count=100_000)
    assert_distinct(numbers)
    reply = server.fetch("/api/snowflake/get/x?count=100000&format=ranges")
    assert len(reply.json()["ranges"]) <= 2


@pytest.mark.parametrize("worker", [1, 512, 1023])
def test_worker_id_is_in_every_id(servers, worker):
    server = servers(snowflake__worker_id=worker).init().start()
    assert all(worker_of(number) == worker for number in server.snowflake(count=5000))


def test_a_worker_id_alone_is_refused_and_the_message_says_how_to_use_it(servers):
    server = servers(snowflake__registry=None, snowflake__worker_id=3).init()
    server.launch()
    assert server.wait_exit() == 2
    assert 'set snowflake.registry = "static" to use this one' in server.log_text()


def test_disabled_mode(servers):
    server = servers(snowflake__enabled=False).init().create_key("demo").start()
    for target in ("demo", "demo?count=5", "demo?format=ranges"):
        assert server.fetch(f"/api/snowflake/get/{target}").code() == "MODE_DISABLED"
    assert server.segment() == 1
