"""Many requests in one write, and many clients at once."""

import pytest

from harness.ids import assert_distinct, expand
from harness.load import in_parallel


def get(target):
    return f"GET {target} HTTP/1.1\r\nHost: t\r\n\r\n"


@pytest.mark.parametrize("requests", [2, 16, 500])
def test_pipelined_requests_are_answered_in_order(server, requests):
    with server.connect() as wire:
        wire.send(get("/api/segment/get/demo") * requests)
        assert [wire.reply().number() for _ in range(requests)] == list(range(1, requests + 1))


def test_pipeline_of_everything(server):
    """Waits, batches, errors and other endpoints, in one write: each reply in its place."""
    with server.connect() as wire:
        wire.send(
            get("/api/segment/get/demo?count=5000")
            + get("/livez")
            + get("/api/segment/get/nope")
            + get("/api/snowflake/get/demo?count=2")
            + "POST /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello"
            + get("/api/segment/get/demo?count=0")
            + get("/nowhere")
            + get("/api/segment/get/demo?count=2&format=json")
        )
        assert len(wire.reply().numbers()) == 5000
        assert wire.reply().status == 200
        assert wire.reply().code() == "KEY_NOT_FOUND"
        assert len(wire.reply().numbers()) == 2
        one = wire.reply().number()
        assert wire.reply().code() == "INVALID_COUNT"
        assert wire.reply().code() == "NOT_FOUND"
        assert wire.reply().json()["ids"] == [str(one + 1), str(one + 2)]


def test_requests_cut_into_single_bytes(server):
    with server.connect() as wire:
        for byte in (get("/api/segment/get/demo") + get("/api/segment/get/demo")).encode():
            wire.send(bytes([byte]))
        assert [wire.reply().number(), wire.reply().number()] == [1, 2]


def test_requests_cut_at_every_place(server):
    text = get("/api/segment/get/demo?count=2").encode()
    with server.connect() as wire:
        for cut in range(1, len(text)):
            wire.send(text[:cut])
            wire.send(text[cut:])
            assert len(wire.reply().numbers()) == 2


def test_pipelined_bodies_of_all_sizes(server):
    sizes = [0, 1, 100, 4096, 65_536, 3]
    with server.connect() as wire:
        wire.send("".join(f"POST /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nContent-Length: {size}\r\n\r\n" + "x" * size
                          for size in sizes))
        assert [wire.reply().number() for _ in sizes] == list(range(1, len(sizes) + 1))


@pytest.mark.threads
def test_concurrent_clients_never_share_a_number(server):
    def singles():
        with server.connect() as wire:
            return [wire.exchange("/api/segment/get/demo").number() for _ in range(500)]

    def batches():
        with server.connect() as wire:
            return [number for _ in range(30) for number in wire.exchange("/api/segment/get/demo?count=777").numbers()]

    def pipelined():
        with server.connect() as wire:
            numbers = []
            for _ in range(30):
                wire.send(get("/api/segment/get/demo") * 16)
                numbers += [wire.reply().number() for _ in range(16)]
            return numbers

    def ranges():
        return [number for _ in range(30)
                for number in expand(server.fetch("/api/segment/get/demo?count=5000&format=ranges"))]

    results = in_parallel([singles, singles, batches, batches, pipelined, pipelined, ranges])
    numbers = [number for result in results for number in result]
    assert len(numbers) == 2 * 500 + 2 * 30 * 777 + 2 * 30 * 16 + 30 * 5000
    assert_distinct(numbers)


@pytest.mark.threads
def test_many_keys_at_once(servers):
    keys = [f"key{number}" for number in range(40)]
    server = servers().init()
    for key in keys:
        server.create_key(key, 20)
    server.start()

    def client(offset):
        got = {key: [] for key in keys}
        with server.connect() as wire:
            for number in range(400):
                key = keys[(number * 7 + offset) % len(keys)]
                got[key].append(wire.exchange(f"/api/segment/get/{key}").number())
        return got

    results = in_parallel([lambda offset=offset: client(offset) for offset in range(6)])
    for key in keys:
        assert_distinct(number for got in results for number in got[key])
