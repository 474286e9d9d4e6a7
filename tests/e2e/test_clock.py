"""The wall clock steps, by libfaketime: no ID twice, no hang, and no error where none is due."""

import time

import pytest

from harness.ids import assert_distinct, timestamp_ms
from harness.load import Load
from harness.waiting import PATIENCE, wait_for

STEPS = ["-0.001", "-0.005s", "-0.05s", "-1s", "-30s", "-60s", "-1h", "-1d", "+0.5s", "+1.5s", "+1h", "+1d", "+10y", "-10y"]


@pytest.fixture
def held(servers, fake_clock):
    return servers(clock=fake_clock).init().create_key("demo").start()


@pytest.fixture
def rejecting(servers, fake_clock):
    return servers(clock=fake_clock, snowflake__on_clock_rollback="reject").init().create_key("demo").start()


@pytest.mark.parametrize("offset", STEPS)
def test_hold_goes_on_over_a_step_of_any_size(held, fake_clock, offset):
    """bwmarrin/snowflake #20, hutool #1724: no ID twice, no thread that spins."""
    before = [held.snowflake() for _ in range(500)] + held.snowflake(count=500)
    fake_clock.step(offset)
    after = [held.snowflake() for _ in range(500)] + held.snowflake(count=500)
    assert before + after == sorted(set(before + after))
    fake_clock.step("+0")
    again = held.snowflake(count=1000)
    assert again[0] > after[-1]
    # The time in the IDs has stayed with the true time whatever the wall clock said.
    assert abs(timestamp_ms(again[-1]) - time.time() * 1000) < 3000 * PATIENCE


def test_hold_has_no_errors_under_load_over_an_ntp_step(held, fake_clock):
    """otoroshi #38."""
    with Load(held, "/api/snowflake/get/x", pause=0.001) as load:
        for offset in ("-30s", "+0", "+20s", "-5s"):
            time.sleep(0.4)
            fake_clock.step(offset)
        time.sleep(0.4)
    assert len(load.samples) > 200
    assert {sample.status for sample in load.samples} == {200}
    numbers = [sample.reply.number() for sample in load.samples]
    assert numbers == sorted(set(numbers))


def test_many_small_steps_back(held, fake_clock):
    """dotnetcore/CAP #1050: -10 ms a thousand times."""
    numbers = []
    with held.connect() as wire:
        for step in range(1, 1001):
            fake_clock.step(f"-{step * 0.01:.2f}s")
            numbers.append(wire.exchange("/api/snowflake/get/x").number())
    assert numbers == sorted(set(numbers))


def test_steps_are_counted_and_logged(held, fake_clock):
    held.snowflake()
    before = sum(value for name, value in held.metrics().items() if "clock" in name and "step" in name)
    fake_clock.step("-1h")

    def seen():
        held.snowflake()
        return sum(value for name, value in held.metrics().items() if "clock" in name and "step" in name) > before

    wait_for(seen, 10)
    wait_for(lambda: held.logged("clock"), 10)
    assert len(held.logged("clock")) <= 3


def test_reject_answers_like_leaf(rejecting, fake_clock):
    before = rejecting.snowflake()
    fake_clock.step("-1h")
    begin = time.monotonic()
    reply = rejecting.fetch("/api/snowflake/get/x")
    assert time.monotonic() - begin < 2 * PATIENCE
    assert reply.status == 503
    assert reply.code() == "CLOCK_ROLLBACK"
    assert int(reply.header("retry-after")) >= 1
    assert rejecting.segment() == 1
    assert rejecting.manage("/readyz").status == 200  # the other mode still issues
    fake_clock.step("+0")
    wait_for(lambda: rejecting.fetch("/api/snowflake/get/x").status == 200, 10, "the clock has caught up")
    assert rejecting.snowflake() > before


def test_reject_waits_out_a_tiny_step(rejecting, fake_clock):
    numbers = [rejecting.snowflake()]
    for _ in range(20):
        fake_clock.step("-0.002s")
        reply = rejecting.fetch("/api/snowflake/get/x")
        assert reply.status == 200, reply
        numbers.append(reply.number())
        fake_clock.step("+0")
        numbers.append(rejecting.snowflake())
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("offset", ["-1s", "-5s"])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_restart_with_the_clock_set_back_a_little(servers, fake_clock, offset, end):
    """Leaf #216: kill -9, clock -1 s, start."""
    server = servers(clock=fake_clock).init().start()
    numbers = server.snowflake(count=50_000)
    getattr(server, end)()
    fake_clock.step(offset)
    server.start(ready=False)
    wait_for(lambda: server.fetch("/api/snowflake/get/x").status == 200, 20)
    numbers += server.snowflake(count=50_000)
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("end", ["stop", "kill"])
@pytest.mark.parametrize("offset", ["-60s", "-1h"])
def test_restart_with_the_clock_set_back_by_more_than_the_downtime(servers, fake_clock, offset, end):
    """hazelcast #17975: the mode refuses, saying by how much, and works once the clock is right again."""
    server = servers(clock=fake_clock).init().create_key("demo").start()
    numbers = server.snowflake(count=50_000)
    getattr(server, end)()
    fake_clock.step(offset)
    server.start(ready=False)
    assert server.segment() > 0
    reply = server.fetch("/api/snowflake/get/x")
    assert reply.status == 503
    assert reply.code() in ("CLOCK_ROLLBACK", "WORKER_UNAVAILABLE")
    assert server.logged("clock.*(behind|ahead)|watermark")
    fake_clock.step("+0")
    wait_for(lambda: server.fetch("/api/snowflake/get/x").status == 200, 20, "the clock is right again")
    numbers += server.snowflake(count=50_000)
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("offset", ["+1h", "+10y"])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_one_jump_far_ahead_does_not_poison_the_future(servers, fake_clock, offset, end):
    """tidb #5709, pd #6768."""
    server = servers(clock=fake_clock).init().start()
    fake_clock.step(offset)
    numbers = [server.snowflake() for _ in range(100)] + server.snowflake(count=5000)
    time.sleep(1)  # so that the watermark has been moved at least once meanwhile
    numbers += server.snowflake(count=5000)
    getattr(server, end)()
    fake_clock.step("+0")
    server.start(ready=False)
    wait_for(lambda: server.fetch("/api/snowflake/get/x").status == 200, 10)
    numbers += server.snowflake(count=5000)
    assert_distinct(numbers)
    assert numbers == sorted(numbers)


def test_segment_mode_does_not_care_about_the_clock(held, fake_clock):
    numbers = []
    for offset in ("-1h", "+10y", "-10y", "+0"):
        fake_clock.step(offset)
        numbers += held.segment(count=1500)
    assert numbers == list(range(1, 6001))


def test_idle_and_request_times_do_not_depend_on_the_wall_clock(held, fake_clock):
    with held.connect() as wire:
        wire.send("GET /api/segment/get/demo HTT")
        fake_clock.step("+1d")
        wire.send("P/1.1\r\nHost: t\r\n\r\n")
        assert wire.reply().number() == 1
        fake_clock.step("-1d")
        assert wire.exchange("/api/segment/get/demo").number() == 2
