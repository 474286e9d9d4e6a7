"""A client that sends too much, too slowly, nothing, or never reads costs one bounded buffer and is closed in time; it
never stops others."""

import socket
import time

import pytest

from harness.load import Load
from harness.waiting import PATIENCE, SANITIZER, wait_for

HOST = "Host: t\r\n"


def pad(name, size):
    return f"{name}: {'x' * size}\r\n"


def test_target_limit(server):
    longest = "/api/segment/get/demo?x="
    longest += "y" * (4096 - len(longest))
    assert server.fetch(longest).number() == 1
    for target in (longest + "y", "/" + "y" * 5000, "/" + "y" * 7000):
        with server.connect() as wire:
            wire.request(target)
            assert wire.reply().code() == "URI_TOO_LONG"
            wire.assert_closed()


def test_header_limit(server):
    assert server.fetch("/livez", headers=pad("X", 7000)).status == 200
    for headers in (pad("X", 8192), pad("X", 100_000), pad("X", 1000) * 9, "A: b\r\n" * 2000):
        with server.connect() as wire:
            wire.request("/livez", headers=headers)
            assert wire.reply().code() == "HEADERS_TOO_LARGE"
            wire.assert_closed()


def test_header_block_without_end(server):
    """The refusal comes when the limit is reached, not when the client stops."""
    with server.connect() as wire:
        wire.send("GET /livez HTTP/1.1\r\n" + HOST + pad("X", 9000))
        assert wire.reply().code() == "HEADERS_TOO_LARGE"


def test_request_line_without_end(server):
    with server.connect() as wire:
        wire.send("GET /" + "a" * 9000)
        assert wire.reply().status in (414, 431)


def test_body_limit(server):
    assert server.fetch("/api/segment/get/demo", "POST", body=b"x" * 65_536).number() == 1
    with server.connect() as wire:
        wire.send("POST /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nContent-Length: 65537\r\n\r\n")
        assert wire.reply().code() == "PAYLOAD_TOO_LARGE"
        wire.assert_closed()


def test_body_limit_of_chunks(server):
    with server.connect() as wire:
        wire.send("POST /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(10):
                wire.send("4000\r\n" + "x" * 0x4000 + "\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert wire.reply().code() == "PAYLOAD_TOO_LARGE"


def test_limits_are_configurable(servers):
    server = servers(server__header_limit="1KiB", server__target_limit="256", server__body_limit="10",
                     server__max_batch=50).init().create_key("demo").start()
    assert server.fetch("/livez", headers=pad("X", 900)).status == 200
    assert server.fetch("/livez", headers=pad("X", 1024)).code() == "HEADERS_TOO_LARGE"
    assert server.fetch("/" + "x" * 256).code() == "URI_TOO_LONG"
    assert server.fetch("/api/segment/get/demo", "POST", body=b"x" * 11).code() == "PAYLOAD_TOO_LARGE"
    assert server.fetch("/api/segment/get/demo?count=51").code() == "INVALID_COUNT"
    assert server.fetch("/api/snowflake/get/demo?count=51").code() == "INVALID_COUNT"
    assert len(server.segment(count=50)) == 50


@pytest.fixture
def impatient(servers):
    return servers(server__request_timeout="1s", server__idle_timeout="2s").init().create_key("demo").start()


def drip(wire, text, pause):
    """Sends byte after byte until the server ends the connection; returns how long that took."""
    begin = time.monotonic()
    wire.socket.settimeout(pause)
    for byte in text.encode() * 1000:
        try:
            wire.send(bytes([byte]))
            data = wire.socket.recv(65536)
            wire.buffer += data
            if not data:
                break
        except (TimeoutError, socket.timeout):
            continue
        except (BrokenPipeError, ConnectionResetError):
            break
    return time.monotonic() - begin


def test_slow_sender_is_cut_off(impatient):
    with Load(impatient, "/api/segment/get/demo") as others, impatient.connect() as wire:
        took = drip(wire, "GET /livez HTTP/1.1\r\n" + pad("X", 4000), pause=0.1)
        assert b" 408 " in wire.buffer and b"REQUEST_TIMEOUT" in wire.buffer
        assert took < 5 * PATIENCE
    assert all(sample.status == 200 for sample in others.samples)
    assert len(others.samples) > 20


def test_slow_body_is_cut_off(impatient):
    with impatient.connect() as wire:
        wire.send("POST /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n")
        drip(wire, "x", pause=0.1)
        assert b" 408 " in wire.buffer


def test_each_pipelined_request_has_its_own_time(impatient):
    """A connection that is used all the time is not closed, however long it lives."""
    end = time.monotonic() + 4
    with impatient.connect() as wire:
        while time.monotonic() < end:
            wire.exchange("/api/segment/get/demo").number()
            time.sleep(0.3)


@pytest.mark.parametrize("first", [b"", b"GET /livez HTTP/1.1\r\nHost: t\r\n\r\n"])
def test_idle_connection_is_closed_in_silence(impatient, first):
    with impatient.connect() as wire:
        if first:
            wire.send(first)
            assert wire.reply().status == 200
        begin = time.monotonic()
        wire.assert_closed()
        assert 1 <= time.monotonic() - begin < 6 * PATIENCE


@pytest.mark.threads
def test_slow_reader(servers):
    """Asks for far more than it reads: bounded memory, closed in time, the others are served."""
    server = servers(server__request_timeout="2s", server__threads=1).init().create_key("demo", 1_000_000).start()
    server.segment(count=100_000)
    before = server.resident_kib()
    with Load(server, "/api/segment/get/demo") as others:
        wires = [server.connect(receive_buffer=4096) for _ in range(8)]
        for wire in wires:
            wire.socket.settimeout(0.2)
            try:
                while True:
                    wire.send("GET /api/segment/get/demo?count=100000 HTTP/1.1\r\nHost: t\r\n\r\n" * 20)
            except (TimeoutError, socket.timeout, BrokenPipeError, ConnectionResetError):
                pass
        if not SANITIZER:
            assert server.resident_kib() - before < 60_000
        for wire in wires:
            wire.socket.settimeout(15 * PATIENCE)
            wire.rest()  # the end of the connection is reached
            wire.close()
    assert all(sample.status == 200 for sample in others.samples)
    assert len(others.samples) > 20


def test_half_closed_connection_gets_its_replies(server):
    with server.connect() as wire:
        wire.send("GET /api/segment/get/demo HTTP/1.1\r\nHost: t\r\n\r\n" * 3)
        wire.half_close()
        assert [wire.reply().number() for _ in range(3)] == [1, 2, 3]
        wire.assert_closed()


def test_half_closed_in_the_middle_of_a_request(server):
    with server.connect() as wire:
        wire.send("GET /api/segment/get/demo HTTP/1.1\r\nHo")
        wire.half_close()
        rest = wire.rest()
        assert rest == b"" or rest.startswith(b"HTTP/1.1 400 ")
    assert server.segment() == 1


def test_reset_in_the_middle_of_everything(server):
    for data in (b"GET /api", b"GET /api/segment/get/demo?count=100000 HTTP/1.1\r\nHost: t\r\n\r\n" * 10):
        for _ in range(20):
            with server.connect() as wire:
                wire.send(data)
                wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert server.fetch("/livez").status == 200


def test_empty_lines_before_a_request(server):
    """RFC 9112 asks servers to overlook at least one."""
    with server.connect() as wire:
        wire.send("\r\nGET /api/segment/get/demo HTTP/1.1\r\nHost: t\r\n\r\n")
        reply = wire.reply()
        assert reply.status in (200, 400)


def test_connection_limit(servers):
    server = servers(server__max_connections=10).init().create_key("demo").start()
    wires = [server.connect() for _ in range(10)]
    for wire in wires:
        assert wire.exchange("/livez").status == 200
    for _ in range(5):
        with server.connect() as wire:  # one too many: ended at once, with 503 or without a word
            rest = wire.rest()
            assert rest == b"" or rest.startswith(b"HTTP/1.1 503 ")
    assert server.manage("/livez").status == 200  # the management port is not starved
    for wire in wires:
        wire.exchange("/api/segment/get/demo").number()
        wire.close()

    def works():
        with server.connect() as wire:
            try:
                return wire.exchange("/livez").status == 200
            except (AssertionError, OSError):
                return False

    wait_for(works, 5, "room for a new connection")


@pytest.mark.threads
def test_a_thousand_idle_connections_stop_nobody(server):
    wires = [server.connect() for _ in range(1000)]
    assert server.segment() == 1
    for wire in wires[::50]:
        assert wire.exchange("/livez").status == 200
    for wire in wires:
        wire.close()
    assert server.segment() == 2
