"""Bad input of every kind gets the status and the code of the table: never a wrong ID, a crash or a hang."""

import pytest

from harness.waiting import wait_for

STATUS = {
    "INVALID_KEY": 400, "INVALID_COUNT": 400, "INVALID_FORMAT": 400, "INVALID_ID": 400, "BAD_REQUEST": 400,
    "KEY_NOT_FOUND": 404, "NOT_FOUND": 404, "MODE_DISABLED": 404, "METHOD_NOT_ALLOWED": 405, "REQUEST_TIMEOUT": 408,
    "KEY_EXHAUSTED": 410, "PAYLOAD_TOO_LARGE": 413, "URI_TOO_LONG": 414, "HEADERS_TOO_LARGE": 431,
    "EXPECTATION_FAILED": 417, "NOT_IMPLEMENTED": 501, "HTTP_VERSION": 505, "SEGMENT_UNAVAILABLE": 503,
    "SNOWFLAKE_OVERLOADED": 503, "KEY_MISCONFIGURED": 503, "TIMESTAMP_EXHAUSTED": 503, "STORE_WENT_BACKWARDS": 503,
    "CLOCK_ROLLBACK": 503,
}


@pytest.fixture(scope="module")
def shared(request, tmp_path_factory):
    """One server for the whole module, with short time-outs; every test leaves it well."""
    from harness.server import Frond

    server = Frond(tmp_path_factory.mktemp("server"), server__request_timeout="2s")
    try:
        yield server.init().create_key("demo").start()
    finally:
        server.end()


@pytest.fixture(autouse=True)
def still_well(shared):
    """After each test the server answers, and has not issued a number to a bad request."""
    before = shared.segment()
    yield
    assert shared.segment() == before + 1


def assert_error(reply, code):
    assert reply.code() == code, reply
    assert reply.status == STATUS[code]


KEY_CASES = [
    ("", "INVALID_KEY"),
    ("?count=1", "INVALID_KEY"),
    ("k" * 129, "INVALID_KEY"),
    ("%F0%9F%A6%80" * 129, "INVALID_KEY"),
    ("%00", "INVALID_KEY"),
    ("a%0Ab", "INVALID_KEY"),
    ("a%0D%0Ab", "INVALID_KEY"),
    ("%1F", "INVALID_KEY"),
    ("%7F", "INVALID_KEY"),
    ("%C2%85", "INVALID_KEY"),  # U+0085, a control character
    ("%FF", "INVALID_KEY"),
    ("%C0%AF", "INVALID_KEY"),  # overlong slash
    ("%ED%A0%80", "INVALID_KEY"),  # surrogate
    ("%F4%90%80%80", "INVALID_KEY"),  # beyond U+10FFFF
    ("%E2%82", "INVALID_KEY"),  # cut off
    ("%", "INVALID_KEY"),
    ("%4", "INVALID_KEY"),
    ("%zz", "INVALID_KEY"),
    ("demo%", "INVALID_KEY"),
    ("demo%2", "INVALID_KEY"),
    ("%%35", "INVALID_KEY"),
    ("%+1", "INVALID_KEY"),
    ("demo/", "NOT_FOUND"),
    ("demo/more", "NOT_FOUND"),
    ("/demo", "NOT_FOUND"),
    ("nope", "KEY_NOT_FOUND"),
    ("DEMO", "KEY_NOT_FOUND"),
    ("demo%20", "KEY_NOT_FOUND"),
    ("demo%2F", "KEY_NOT_FOUND"),
    ("demo.json", "KEY_NOT_FOUND"),
]


@pytest.mark.parametrize("key, code", KEY_CASES)
def test_bad_keys(shared, key, code):
    assert_error(shared.fetch(f"/api/segment/get/{key}"), code)


@pytest.mark.parametrize("key, code", [case for case in KEY_CASES if case[1] != "KEY_NOT_FOUND"])
def test_bad_keys_in_snowflake_mode(shared, key, code):
    assert_error(shared.fetch(f"/api/snowflake/get/{key}"), code)


COUNTS = ["0", "-1", "1e9", "1000000000", "99999999999999999999", "18446744073709551617", "-9223372036854775808",
          "9223372036854775807", "4294967297", "", "1.5", "1.0", "abc", "0x10", "+1", "%201", "1%20", "1%00", "%31%00", "²",
          "%D9%A1", "1,000", "100001", "-0", "00000000000000000000000", "1_0", "NaN"]


@pytest.mark.parametrize("mode", ["segment", "snowflake"])
@pytest.mark.parametrize("count", COUNTS)
def test_bad_counts(shared, mode, count):
    for suffix in ("", "&format=json", "&format=ranges"):
        target = f"/api/{mode}/get/demo?count={count}{suffix}"
        assert_error(shared.fetch(target), "INVALID_COUNT")


@pytest.mark.parametrize("mode", ["segment", "snowflake"])
@pytest.mark.parametrize("form", ["xml", "JSON", "", "json,ranges", "text%00", "%6Aso"])
def test_bad_formats(shared, mode, form):
    assert_error(shared.fetch(f"/api/{mode}/get/demo?count=2&format={form}"), "INVALID_FORMAT")


@pytest.mark.parametrize("mode", ["segment", "snowflake"])
@pytest.mark.parametrize("query", ["count=1&count=1", "count=1&count=2", "format=json&format=json", "count=1&%63ount=1",
                                   "count=1&count", "count=%", "count=%4", "count=%zz", "format=%zz"])
def test_bad_queries(shared, mode, query):
    assert_error(shared.fetch(f"/api/{mode}/get/demo?{query}"), "BAD_REQUEST")


@pytest.mark.parametrize("path", [
    "/", "/api", "/api/", "/api/segment", "/api/segment/", "/api/segment/get", "/API/segment/get/demo",
    "/api//segment/get/demo", "/api/segment/get/demo/../demo", "/api/segment/put/demo", "/favicon.ico",
    "/api/snowflake/decode", "/api/snowflake/bounds/x", "/livez/", "//", "/%2e%2e/%2e%2e/etc/passwd", "/?x=1",
    "/api%2Fsegment%2Fget%2Fdemo",
])
def test_unknown_paths(shared, path):
    assert_error(shared.fetch(path), "NOT_FOUND")


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get", "PROPFIND"])
@pytest.mark.parametrize("mode", ["segment", "snowflake"])
def test_other_methods(shared, mode, method):
    reply = shared.fetch(f"/api/{mode}/get/demo", method)
    assert reply.status == 405
    assert sorted(reply.header("allow").replace(" ", "").split(",")) == ["GET", "POST"]
    if method != "HEAD":
        assert reply.code() == "METHOD_NOT_ALLOWED"


def test_unknown_path_is_not_found_whatever_the_method(shared):
    for method in ("POST", "PUT", "BREW"):
        assert_error(shared.fetch("/nowhere", method), "NOT_FOUND")


def test_problem_document(shared):
    reply = shared.fetch("/api/segment/get/nope?count=2")
    problem = reply.json()
    assert set(problem) == {"type", "title", "status", "detail", "instance", "code"}
    assert problem["status"] == 404
    assert problem["code"] == "KEY_NOT_FOUND"
    assert problem["instance"].startswith("/api/segment/get/nope")
    assert problem["title"] and problem["type"]
    assert reply.header("cache-control") == "no-store"


def test_problem_document_is_json_whatever_was_asked_for(shared):
    for path in ("/%22%5C%0A%01%FF", "/a%22b", '/"', "/\\", "/<script>", "/\u00e9"):
        reply = shared.fetch(path)
        assert reply.status in (400, 404), path
        reply.json()


def test_no_internals_reach_the_client(shared):
    for target in ("/api/segment/get/nope", "/api/segment/get/'%22", "/api/segment/get/demo?count=x", "/nowhere"):
        text = shared.fetch(target).text().lower()
        for word in ("select", "update", "sqlite", "leaf_alloc", str(shared.folder).lower(), "127.0.0.1"):
            assert word not in text, (target, text)


# Bytes that are no proper request: what comes back, and that the connection ends then.
BROKEN = [
    (b"\x00\x01\x02\x03\r\n\r\n", "BAD_REQUEST"),
    (b"GET\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez\r\n\r\n", "BAD_REQUEST"),
    (b"GET  /livez HTTP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"GET /li vez HTTP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTTP/1.1 \r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTTP/1.1\r\nHost t\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTTP/1.1\r\nHost : t\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTTP/1.1\r\nHost: t\r\n: x\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTTP/1.1\r\nHost: t\r\nX: a\x00b\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTTP/1.1\r\n\r\n", "BAD_REQUEST"),  # HTTP/1.1 without Host
    (b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez#part HTTP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"GET livez HTTP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"GET * HTTP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"CONNECT example.org:443 HTTP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nContent-Length: x\r\n\r\n", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999999\r\n\r\n", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", "BAD_REQUEST"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "NOT_IMPLEMENTED"),
    (b"POST /livez HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: gzip\r\n\r\n", "NOT_IMPLEMENTED"),
    (b"GET /livez HTTP/2.0\r\nHost: t\r\n\r\n", "HTTP_VERSION"),
    (b"GET /livez HTTP/1.2\r\nHost: t\r\n\r\n", "HTTP_VERSION"),
    (b"GET /livez HTTP/0.9\r\nHost: t\r\n\r\n", "HTTP_VERSION"),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP_VERSION"),
    (b"GET /livez HTTP/x.y\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"GET /livez HTPP/1.1\r\nHost: t\r\n\r\n", "BAD_REQUEST"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(1, 120)), "BAD_REQUEST"),  # a TLS greeting
    (b"GET /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nExpect: magic\r\n\r\n", "EXPECTATION_FAILED"),
]


def ids_of_broken(case):
    return repr(case[0][:60]) if isinstance(case, tuple) else None


@pytest.mark.parametrize("case", BROKEN, ids=ids_of_broken)
def test_broken_requests(shared, case):
    data, code = case
    with shared.connect() as wire:
        wire.send(data)
        if b"\r\n\r\n" not in data:
            wire.half_close()
        reply = wire.reply()
        assert_error(reply, code)
        assert reply.header("connection") == "close"
        wire.assert_closed()


def test_expect_100_continue_is_answered(shared):
    with shared.connect() as wire:
        wire.send("POST /livez HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        reply = wire.reply()
        if reply.status == 100:
            wire.send("abc")
            reply = wire.reply()
        assert reply.status == 405  # /livez takes GET


def test_pipelined_garbage(shared):
    """What came before the garbage is answered, the garbage is refused, and nothing after it is looked at."""
    good = b"GET /livez HTTP/1.1\r\nHost: t\r\n\r\n"
    for garbage in (b"\xff\xfe\xfd GARBAGE\r\n\r\n", b"NOT HTTP AT ALL\r\n\r\n", b"}{\r\n\r\n"):
        with shared.connect() as wire:
            wire.send(good * 3 + garbage + b"GET /api/segment/get/demo HTTP/1.1\r\nHost: t\r\n\r\n" * 5)
            assert [wire.reply().status for _ in range(3)] == [200] * 3
            assert_error(wire.reply(), "BAD_REQUEST")
            wire.assert_closed()


def test_smuggled_request_is_not_answered(shared):
    """The rest of a refused request is never taken for a request of its own."""
    with shared.connect() as wire:
        wire.send(b"POST /livez HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n"
                  b"0\r\n\r\nGET /api/segment/get/demo HTTP/1.1\r\nHost: t\r\n\r\n")
        assert wire.reply().status == 400
        wire.assert_closed()


def test_request_that_never_ends(shared):
    with shared.connect() as wire:
        wire.send("GET /api/segment/get/demo HTTP/1.1\r\nHost:")
        reply = wire.reply()
        assert_error(reply, "REQUEST_TIMEOUT")
        wire.assert_closed()


# --- rows that make no valid range (the leaf schema lives in SQLite here; MariaDB has its own tests)


@pytest.fixture
def with_row(servers):
    """A running server over a leaf_alloc row as given."""
    import sqlite3

    def make(max_id, step):
        server = servers().init().create_key("row", 1000)
        with sqlite3.connect(server.folder / "frond.db") as connection:
            connection.execute("UPDATE leaf_alloc SET max_id = ?, step = ? WHERE biz_tag = 'row'", (max_id, step))
        connection.close()
        return server.start()

    return make


@pytest.mark.parametrize("max_id, step", [(1, 0), (1, -5), (-1000, 1000), (1, "many"), (1.5, 10), ("x", 10)])
def test_misconfigured_rows(with_row, max_id, step):
    server = with_row(max_id, step)
    for _ in range(3):
        reply = server.fetch("/api/segment/get/row")
        assert_error(reply, "KEY_MISCONFIGURED")
    assert server.fetch("/livez").status == 200
    assert server.logged("row")


@pytest.mark.parametrize("max_id, step, count", [(2**63 - 10, 1000, 1), (2**63 - 1, 1, 1), (1, 2**62, 1)])
def test_numbers_used_up(with_row, max_id, step, count):
    server = with_row(max_id, step)
    if step == 2**62:  # one such range fits, a second does not
        assert server.segment("row") == 1
        return
    reply = server.fetch(f"/api/segment/get/row?count={count}")
    assert_error(reply, "KEY_EXHAUSTED")
    assert_error(server.fetch("/api/segment/get/row"), "KEY_EXHAUSTED")


@pytest.mark.parametrize("middle", [2**31, 2**32, 2**53])
def test_numbers_across_powers_of_two(with_row, middle):
    server = with_row(middle - 500, 100)
    numbers = [server.segment("row") for _ in range(300)] + server.segment("row", 1000)
    assert numbers == list(range(middle - 500, middle + 800))


def test_last_numbers_are_issued_and_then_it_ends(with_row):
    end = 2**63 - 1
    server = with_row(end - 30, 10)
    numbers = []
    while True:
        reply = server.fetch("/api/segment/get/row")
        if reply.status != 200:
            break
        numbers.append(reply.number())
        assert len(numbers) <= 30
    assert numbers == list(range(end - 30, end - 30 + len(numbers)))
    assert len(numbers) >= 20
    assert_error(reply, "KEY_EXHAUSTED")


# --- Snowflake


def test_timestamp_field_full(servers):
    server = servers(snowflake__timestamp_bits=30).init().create_key("demo").start()
    assert_error(server.fetch("/api/snowflake/get/demo"), "TIMESTAMP_EXHAUSTED")
    assert server.segment() == 1


def test_epoch_in_the_future(servers):
    """No ID can be made before the epoch; never a negative one."""
    server = servers(snowflake__epoch="2090-01-01T00:00:00Z").init().create_key("demo").start(ready=False)
    reply = wait_for(lambda: server.fetch("/api/snowflake/get/demo"), 5)
    assert reply.status == 503
    assert reply.code() == "CLOCK_ROLLBACK"
    assert server.segment() == 1
