"""Decoding of Snowflake IDs and bounds for time spans."""

import datetime
import re

import pytest

from harness.ids import timestamp_ms

ARTICLE_ID = (1567733700834 - 1288834974657) << 22 | 39 << 12 | 3448


def test_decode(server):
    reply = server.fetch(f"/api/snowflake/decode/{ARTICLE_ID}")
    assert reply.status == 200
    assert reply.header("content-type") == "application/json"
    assert reply.json() == {
        "id": str(ARTICLE_ID),
        "timestamp_ms": 1567733700834,
        "time": "2019-09-06T01:35:00.834Z",
        "worker_id": 39,
        "sequence": 3448,
    }


def test_decode_what_was_just_issued(server):
    number = server.snowflake()
    decoded = server.fetch(f"/api/snowflake/decode/{number}").json()
    assert decoded["id"] == str(number)
    assert decoded["timestamp_ms"] == timestamp_ms(number)
    assert decoded["worker_id"] == 0
    assert decoded["sequence"] == number & 4095


@pytest.mark.parametrize("number", [0, 1, 2**53 + 1, 2**63 - 1])
def test_decode_at_the_ends(server, number):
    decoded = server.fetch(f"/api/snowflake/decode/{number}").json()
    assert decoded["id"] == str(number)
    assert (decoded["timestamp_ms"] - 1288834974657) << 22 | decoded["worker_id"] << 12 | decoded["sequence"] == number


BAD_IDS = ["abc", "-1", "1.5", "1e3", "9223372036854775808", "99999999999999999999", "12345678901234567890123", "0x10",
           "%20" "1", "1%20", "+1", "%00", "%F0%9F%A6%80", "1,000"]


@pytest.mark.parametrize("text", BAD_IDS)
def test_decode_refuses_what_is_no_id(server, text):
    reply = server.fetch(f"/api/snowflake/decode/{text}")
    assert reply.status == 400
    assert reply.code() == "INVALID_ID"


def test_decode_refuses_bits_above_the_layout(servers):
    server = servers(snowflake__timestamp_bits=40, snowflake__worker_bits=5, snowflake__sequence_bits=8).init().start()
    assert server.fetch(f"/api/snowflake/decode/{2**53 - 1}").status == 200
    assert server.fetch(f"/api/snowflake/decode/{2**53}").code() == "INVALID_ID"


def test_decode_works_with_the_mode_off(servers):
    server = servers(snowflake__enabled=False).init().start()
    assert server.fetch(f"/api/snowflake/decode/{ARTICLE_ID}").json()["worker_id"] == 39


@pytest.mark.parametrize("zone, text", [("UTC", "2019-09-06 01:35:00.834"), ("Asia/Shanghai", "2019-09-06 09:35:00.834"),
                                        ("America/New_York", "2019-09-05 21:35:00.834")])
def test_decode_in_leafs_shape(servers, zone, text):
    server = servers(environment={"TZ": zone}).init().start()
    reply = server.fetch(f"/decodeSnowflakeId?snowflakeId={ARTICLE_ID}")
    assert reply.status == 200
    assert reply.header("content-type").split(";")[0] == "application/json"
    assert reply.json() == {"timestamp": f"1567733700834({text})", "sequenceId": "3448", "workerId": "39"}


def test_decode_in_leafs_shape_uses_the_configured_epoch(servers):
    server = servers(environment={"TZ": "UTC"}, snowflake__epoch="2020-01-01T00:00:00Z").init().start()
    reply = server.fetch(f"/decodeSnowflakeId?snowflakeId={1000 << 22}")
    assert reply.json()["timestamp"] == "1577836801000(2020-01-01 00:00:01.000)"


@pytest.mark.parametrize("query", ["", "?", "?snowflakeId=", "?snowflakeId=abc", "?snowflakeId=9223372036854775808",
                                   "?snowflakeId=-1", "?snowflakeId=1&snowflakeId=1"])
def test_decode_in_leafs_shape_refuses_bad_input(server, query):
    assert server.fetch(f"/decodeSnowflakeId{query}").status == 400


def test_bounds_of_a_day(server):
    reply = server.fetch("/api/snowflake/bounds?from=2019-09-06T00:00:00Z&to=2019-09-06T23:59:59.999Z")
    assert reply.status == 200
    first, last = int(reply.json()["first"]), int(reply.json()["last"])
    assert isinstance(reply.json()["first"], str)
    day = 1567728000000 - 1288834974657
    assert first == day << 22
    assert last == ((day + 86_400_000) << 22) - 1
    assert first <= ARTICLE_ID <= last


def test_bounds_hold_what_is_issued_now(server):
    now = datetime.datetime.now(datetime.timezone.utc)
    text = lambda moment: moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    number = server.snowflake()
    span = f"from={text(now - datetime.timedelta(minutes=1))}&to={text(now + datetime.timedelta(minutes=1))}"
    bounds = server.fetch(f"/api/snowflake/bounds?{span}").json()
    assert int(bounds["first"]) <= number <= int(bounds["last"])


def test_bounds_with_offsets(server):
    plain = server.fetch("/api/snowflake/bounds?from=2019-09-06T00:00:00Z&to=2019-09-06T01:00:00Z").json()
    shifted = server.fetch(
        "/api/snowflake/bounds?from=2019-09-06T08:00:00%2B08:00&to=2019-09-05T21:00:00-04:00").json()
    assert plain == shifted


@pytest.mark.parametrize("query", [
    "", "from=2019-09-06T00:00:00Z", "to=2019-09-06T00:00:00Z", "from=&to=", "from=yesterday&to=today",
    "from=2019-09-07T00:00:00Z&to=2019-09-06T00:00:00Z", "from=2019-13-01T00:00:00Z&to=2020-01-01T00:00:00Z",
    "from=2019-02-30T00:00:00Z&to=2020-01-01T00:00:00Z", "from=2019-09-06T25:00:00Z&to=2020-01-01T00:00:00Z",
    "from=1990-01-01T00:00:00Z&to=1991-01-01T00:00:00Z", "from=2019-09-06T00:00:00Z&from=2019-09-06T00:00:00Z&to=2020-01-01T00:00:00Z",
    "from=2019-09-06T00:00:00&to=2019-09-07T00:00:00",
])
def test_bounds_refuse_bad_spans(server, query):
    reply = server.fetch(f"/api/snowflake/bounds?{query}")
    assert reply.status == 400
    assert reply.code() == "BAD_REQUEST"


@pytest.mark.parametrize("target", ["/api/snowflake/decode/1", "/api/snowflake/bounds?from=2019-09-06&to=2019-09-07"])
def test_only_get(server, target):
    reply = server.fetch(target, "POST")
    assert reply.code() == "METHOD_NOT_ALLOWED"
    assert "GET" in re.split(r",\s*", reply.header("allow"))
