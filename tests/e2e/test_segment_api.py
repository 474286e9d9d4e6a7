"""Segment mode over HTTP: what the endpoints answer, and that no number is issued twice."""

import json
from urllib.parse import quote

import pytest

from harness.ids import assert_distinct, expand
from harness.waiting import wait_for


def test_single_get_is_bare_digits(server):
    reply = server.fetch("/api/segment/get/demo")
    assert reply.status == 200
    assert reply.body == b"1"
    assert reply.header("content-type").split(";")[0] == "text/plain"
    assert reply.header("cache-control") == "no-store"


def test_numbers_go_on_one_by_one(server):
    with server.connect() as wire:
        assert [wire.exchange("/api/segment/get/demo").number() for _ in range(2500)] == list(range(1, 2501))


@pytest.mark.parametrize("accept", ["application/json", "text/html", "*/*", "image/png"])
def test_single_get_ignores_accept(server, accept):
    reply = server.fetch("/api/segment/get/demo", headers=f"Accept: {accept}\r\n")
    assert reply.number() == 1
    assert reply.header("content-type").split(";")[0] == "text/plain"


def test_post_issues_too_and_ignores_its_body(server):
    assert server.fetch("/api/segment/get/demo", "POST").number() == 1
    assert server.fetch("/api/segment/get/demo", "POST", body="key=other&count=7").number() == 2


def test_post_with_a_chunked_body(server):
    with server.connect() as wire:
        wire.send("POST /api/segment/get/demo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        wire.send("5\r\nhello\r\n0\r\n\r\n")
        assert wire.reply().number() == 1
        assert wire.exchange("/api/segment/get/demo").number() == 2


def test_batch_as_text_is_one_number_a_line(server):
    reply = server.fetch("/api/segment/get/demo?count=3")
    assert reply.header("content-type").split(";")[0] == "text/plain"
    assert reply.header("cache-control") == "no-store"
    assert reply.text().splitlines() == ["1", "2", "3"]


def test_batch_as_json_has_strings(server):
    reply = server.fetch("/api/segment/get/demo?count=3&format=json")
    assert reply.header("content-type") == "application/json"
    assert reply.header("cache-control") == "no-store"
    assert reply.json() == {"key": "demo", "ids": ["1", "2", "3"]}


def test_batch_as_ranges(server):
    reply = server.fetch("/api/segment/get/demo?format=ranges&count=900")
    assert reply.header("content-type") == "application/json"
    assert reply.json() == {"key": "demo", "ranges": [{"first": "1", "last": "900", "delta": "1"}]}


@pytest.mark.parametrize("form, expected", [("json", {"key": "demo", "ids": ["1"]}),
                                            ("ranges", {"key": "demo",
                                                        "ranges": [{"first": "1", "last": "1", "delta": "1"}]})])
def test_format_without_count_is_a_batch_of_one(server, form, expected):
    assert server.fetch(f"/api/segment/get/demo?format={form}").json() == expected


def test_count_of_one(server):
    assert server.segment(count=1) == [1]


@pytest.mark.parametrize("count", [999, 1000, 1001, 2000, 54_321, 100_000])
def test_batch_of_any_size_over_a_step_of_1000(server, count):
    before = server.segment()
    numbers = server.segment(count=count)
    after = server.segment()
    assert len(numbers) == count
    assert_distinct([before, *numbers, after])
    assert before < min(numbers) and max(numbers) < after


def test_batches_over_several_ranges_as_ranges(server):
    numbers = []
    for count in (1, 10, 1500, 7, 100_000, 3):
        got = expand(server.fetch(f"/api/segment/get/demo?count={count}&format=ranges"))
        assert len(got) == count
        numbers += got
    assert_distinct(numbers)


def test_key_with_delta_and_remainder(servers):
    server = servers().init().create_key("odd", 40, "--delta", 4, "--remainder", 3).start()
    single = [server.segment("odd") for _ in range(30)]
    batch = server.segment("odd", 100)
    ranges = server.fetch("/api/segment/get/odd?count=50&format=ranges")
    assert all(entry["delta"] == "4" for entry in ranges.json()["ranges"])
    numbers = single + batch + expand(ranges)
    assert all(number % 4 == 3 for number in numbers)
    assert_distinct(numbers)


KEYS = [
    "order.pay", "order.pay.json", "a-b_c:d", "a b", "100%", "x/y", "a+b", "a&b=c?d#e", "키", "заказ", "🦀🦀", "~", ".",
    "..", "%2F", "ü" * 128, "k" * 128, "🦀" * 128, "'; DROP TABLE leaf_alloc; --", '"quoted"', "back\\slash", "a;b",
]


def test_keys_of_every_kind(servers):
    server = servers().init()
    for key in KEYS:
        server.create_key(key, 10)
    server.start()
    for key in KEYS:
        encoded = quote(key, safe="")
        assert server.fetch(f"/api/segment/get/{encoded}").number() == 1, key
        reply = server.fetch(f"/api/segment/get/{encoded}?format=json")
        assert reply.json() == {"key": key, "ids": ["2"]}


def test_percent_escapes_in_either_case_and_unneeded_ones(server):
    for path in ("demo", "%64emo", "d%65mo", "%64%65%6d%6F", "%64%65%6D%6f"):
        server.fetch(f"/api/segment/get/{path}").number()
    assert server.segment() == 6


def test_keys_may_stand_unescaped_where_http_allows_it(servers):
    server = servers().init().create_key("order.pay:eu~1", 10).create_key("order", 10).start()
    assert server.fetch("/api/segment/get/order.pay:eu~1").number() == 1
    assert server.segment("order") == 1


def test_key_is_compared_byte_for_byte(server):
    for other in ("Demo", "DEMO", "demo%20", "%20demo", "d%C3%A9mo", "demo%E2%80%8B"):
        assert server.fetch(f"/api/segment/get/{other}").code() == "KEY_NOT_FOUND", other


def test_unknown_parameters_are_ignored(server):
    assert server.fetch("/api/segment/get/demo?x=1&x=2&&y&=&count=2&cOuNt=9").numbers() == [1, 2]


def test_absolute_form_of_the_target(server):
    assert server.fetch("http://example.org/api/segment/get/demo?count=2").numbers() == [1, 2]


def test_head_never_issues(server):
    reply = server.fetch("/api/segment/get/demo", "HEAD")
    assert reply.status == 405
    assert sorted(reply.header("allow").replace(" ", "").split(",")) == ["GET", "POST"]
    assert server.segment() == 1


def test_errors_never_consume_numbers(server):
    for bad in ("?count=0", "?count=x", "?count=2&count=2", "?format=xml", "/x", "?count=100001"):
        assert server.fetch(f"/api/segment/get/demo{bad}").status >= 400
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert server.fetch("/api/segment/get/demo", method).status == 405
    assert server.segment() == 1


def test_key_created_while_running_works_at_latest_after_a_second(server):
    assert server.fetch("/api/segment/get/late").code() == "KEY_NOT_FOUND"
    server.create_key("late", 10)
    wait_for(lambda: server.fetch("/api/segment/get/late").status == 200, 1.5, "a new key after a negative look-up")
    server.create_key("fresh", 10)
    assert server.segment("fresh") == 1


def test_disabled_mode_never_makes_up_an_id(servers):
    server = servers(segment__enabled=False).start()
    for target in ("demo", "demo?count=5", "demo?format=json"):
        assert server.fetch(f"/api/segment/get/{target}").code() == "MODE_DISABLED"
    assert server.snowflake() > 0


def test_http_1_0(server):
    with server.connect() as wire:
        wire.send("GET /api/segment/get/demo HTTP/1.0\r\n\r\n")
        assert wire.reply().body == b"1"
        wire.assert_closed()
    with server.connect() as wire:
        wire.send("GET /api/segment/get/demo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        reply = wire.reply()
        assert reply.body == b"2"
        assert reply.header("connection").lower() == "keep-alive"
        assert wire.exchange("/api/segment/get/demo").number() == 3


def test_connection_close_is_honoured(server):
    with server.connect() as wire:
        reply = wire.exchange("/api/segment/get/demo", headers="Connection: close\r\n")
        assert reply.number() == 1
        assert reply.header("connection") == "close"
        wire.assert_closed()


def test_replies_have_a_date_and_no_server_name(server):
    reply = server.fetch("/api/segment/get/demo")
    assert reply.header("date").endswith(" GMT")
    assert reply.header("server") is None


def test_ranges_of_json_survive_a_strict_parser(server):
    text = server.fetch("/api/segment/get/demo?count=5&format=json").text()
    assert json.loads(text, parse_int=lambda _: pytest.fail("an ID came as a JSON number"))
