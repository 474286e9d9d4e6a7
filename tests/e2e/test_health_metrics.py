"""Health and metrics."""

import re

import pytest

from harness.waiting import wait_for


@pytest.mark.parametrize("path", ["/livez", "/healthz", "/readyz"])
def test_on_both_ports(server, path):
    for fetch in (server.fetch, server.manage):
        reply = fetch(path)
        assert reply.status == 200
        assert len(reply.body) < 100


@pytest.mark.parametrize("path", ["/startupz", "/metrics"])
def test_on_the_management_port_alone(server, path):
    assert server.manage(path).status == 200
    assert server.fetch(path).code() == "NOT_FOUND"


def test_ids_are_not_issued_on_the_management_port(server):
    assert server.manage("/api/segment/get/demo").code() == "NOT_FOUND"
    assert server.manage("/api/snowflake/get/demo").code() == "NOT_FOUND"


@pytest.mark.parametrize("path", ["/livez", "/healthz", "/readyz", "/startupz", "/metrics"])
def test_head_answers_without_a_body(server, path):
    reply = server.manage(path, "HEAD")
    assert reply.status == 200
    assert server.manage(path, "POST").code() == "METHOD_NOT_ALLOWED"


def test_each_mode_has_its_own_readiness(server):
    assert server.manage("/readyz/segment").status == 200
    assert server.manage("/readyz/snowflake").status == 200
    text = server.manage("/readyz?verbose").text()
    assert "segment" in text and "snowflake" in text


def test_mode_that_is_off_does_not_make_the_server_unready(servers):
    server = servers(snowflake__enabled=False).init().start()
    assert server.manage("/readyz").status == 200
    assert server.manage("/readyz/segment").status == 200
    assert server.manage("/readyz/snowflake").code() == "MODE_DISABLED"


def test_no_mode_at_all(servers):
    server = servers(snowflake__enabled=False, segment__enabled=False)
    server.launch()
    try:
        wait_for(lambda: server.process.poll() is not None or server._addresses(), 10, "start or refusal")
    except AssertionError:
        pass
    if server.running():  # a server that can issue nothing is never ready
        server.port, server.management_port = server._addresses()
        assert server.manage("/readyz").status == 503
        assert server.manage("/livez").status == 200
    else:
        assert server.wait_exit() == 2


NAME, LABEL = r"[a-zA-Z_:][a-zA-Z0-9_:]*", r'[a-zA-Z_][a-zA-Z0-9_]*="[^"\n]*"'
METRIC_LINE = re.compile(
    rf"^(# (HELP|TYPE) {NAME} .+|{NAME}(\{{{LABEL}(,{LABEL})*\}})? (\+Inf|-Inf|NaN|-?\d+(\.\d+)?(e[-+]\d+)?))$")


def test_metrics_are_in_the_text_format(server):
    server.segment(count=10)
    server.snowflake(count=20)
    reply = server.manage("/metrics")
    assert reply.header("content-type").startswith("text/plain; version=0.0.4")
    seen = set()
    for line in reply.text().splitlines():
        assert METRIC_LINE.match(line), line
        if not line.startswith("#"):
            series = line.rsplit(" ", 1)[0]
            assert series not in seen, series
            seen.add(series)
            assert series.startswith(("frond_", "process_"))
    typed = set(re.findall(r"^# TYPE (\S+)", reply.text(), re.MULTILINE))
    helped = set(re.findall(r"^# HELP (\S+)", reply.text(), re.MULTILINE))
    assert typed == helped
    for name in typed:
        if re.search(rf"^# TYPE {name} counter$", reply.text(), re.MULTILINE):
            assert name.endswith("_total"), name


def total(metrics, word):
    return sum(value for name, value in metrics.items() if word in name)


def test_metrics_count_what_was_issued(server):
    before = server.metrics()
    for _ in range(7):
        server.segment()
    server.segment(count=100)
    server.snowflake(count=50)
    server.snowflake()
    after = server.metrics()
    grown = {name: after[name] - before.get(name, 0) for name in after}
    ids = {name: value for name, value in grown.items() if "ids" in name and value}
    assert sorted(ids.values()) == [51, 107], ids
    requests = sum(value for name, value in grown.items() if re.match(r"frond_http_requests_total", name))
    assert requests >= 10
