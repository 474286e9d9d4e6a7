"""Start, stop, restart, and what becomes of the numbers."""

import signal
import sqlite3
import threading
import time

import pytest

from harness.ids import assert_distinct, timestamp_ms
from harness.load import Load, in_parallel
from harness.waiting import PATIENCE, wait_for


def test_start_line_says_where_and_what(server):
    event = next(event for event in server.log() if f"127.0.0.1:{server.port}" in event["msg"])
    for word in (str(server.management_port), "segment", "snowflake", "sqlite"):
        assert word in event["msg"], event
    assert event["level"] == "info"


def test_start_line_hides_the_password(servers):
    server = servers(database="mysql://someone:hunter2@127.0.0.1:1/db").start(ready=False)
    wait_for(lambda: server.fetch("/api/segment/get/demo").status == 503, 10)
    assert "hunter2" not in server.log_text()


@pytest.mark.threads
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_by_signal(server, number):
    server.segment()
    server.snowflake()
    server.signal(number)
    assert server.wait_exit() == 0


@pytest.mark.threads
def test_drain_answers_everything_and_then_closes(servers):
    """Not ready at once; requests are answered with `Connection: close` while the load balancer takes note; no request
    is lost."""
    server = servers(server__drain_delay="1s").init().create_key("demo").start()
    kept = server.connect()
    kept.exchange("/api/segment/get/demo").number()
    server.signal(signal.SIGTERM)
    wait_for(lambda: server.manage("/readyz").status == 503, 5)
    assert server.manage("/livez").status == 200
    reply = server.fetch("/api/segment/get/demo")  # a new connection is still taken
    assert reply.number() > 0
    assert reply.header("connection") == "close"
    reply = kept.exchange("/api/segment/get/demo")
    assert reply.number() > 0
    assert reply.header("connection") == "close"
    kept.assert_closed()
    assert server.wait_exit() == 0
    with pytest.raises(OSError):
        server.connect()


@pytest.mark.threads
def test_no_request_fails_during_a_drain(servers):
    """Clients that reconnect when told to see no error until the listener is closed. Only a connection that the kernel
    took in the instant of closing may be reset."""
    server = servers(server__drain_delay="1s").init().create_key("demo", 1_000_000).start()
    stopping, resets = [], []

    def ask_until_told_to_close(numbers):
        with server.connect() as wire:
            while True:
                reply = wire.exchange("/api/segment/get/demo")
                numbers.append(reply.number())
                if reply.header("connection") == "close":
                    return

    def client():
        numbers = []
        while True:
            try:
                ask_until_told_to_close(numbers)
            except ConnectionRefusedError:
                return numbers
            except ConnectionResetError:
                resets.append(time.monotonic())

    def stop():
        stopping.append(time.monotonic())
        server.signal(signal.SIGTERM)

    threading.Timer(0.5, stop).start()
    results = in_parallel([client] * 6)
    assert server.wait_exit() == 0
    assert all(results)
    assert_distinct(number for numbers in results for number in numbers)
    assert len(resets) <= 12 and all(at >= stopping[0] + 1 for at in resets)


def test_idle_connections_do_not_hold_up_a_stop(server):
    wires = [server.connect() for _ in range(50)]
    for wire in wires[:25]:
        wire.exchange("/livez")
    begin = time.monotonic()
    server.stop()
    assert time.monotonic() - begin < 5 * PATIENCE
    for wire in wires:
        wire.rest()
        wire.close()


def test_drain_is_bounded(servers):
    """A client that never finishes its request holds the server up for drain_timeout at most."""
    server = servers(server__drain_timeout="1s", server__request_timeout="1h").init().start()
    with server.connect() as wire:
        wire.send("GET /livez HTTP/1.1\r\n")
        time.sleep(0.1)
        begin = time.monotonic()
        server.stop()
        assert time.monotonic() - begin < 6 * PATIENCE


def test_second_signal_stops_at_once(servers):
    server = servers(server__drain_delay="1h").init().start()
    server.signal(signal.SIGTERM)
    wait_for(lambda: server.manage("/readyz").status == 503, 5)
    server.signal(signal.SIGTERM)
    begin = time.monotonic()
    server.wait_exit()
    assert time.monotonic() - begin < 3 * PATIENCE


def test_draining_twice_with_different_signals(servers):
    server = servers(server__drain_delay="1h").init().start()
    server.signal(signal.SIGINT)
    wait_for(lambda: server.manage("/readyz").status == 503, 5)
    server.signal(signal.SIGTERM)
    server.wait_exit(5)


def test_ten_graceful_restarts_leave_no_gap(servers):
    server = servers().init().create_key("demo", 1000).create_key("other", 7)
    numbers, others = [], []
    for _ in range(10):
        server.start()
        numbers += [server.segment() for _ in range(3)]
        others += server.segment("other", 20)
        server.stop()
    assert numbers == list(range(1, 31))
    assert others == list(range(1, 201))


def test_hand_back_leaves_the_row_where_the_next_number_is(servers):
    server = servers().init().create_key("demo", 1000).start()
    server.segment(count=1234)
    server.stop()
    connection = sqlite3.connect(server.folder / "frond.db")
    assert connection.execute("SELECT max_id FROM leaf_alloc WHERE biz_tag = 'demo'").fetchone() == (1235,)
    connection.close()


def test_nothing_is_handed_back_when_somebody_allocated_after_it(servers):
    first = servers("first").init().create_key("demo", 100)
    second = servers("second", database=first.database, snowflake__worker_id=1)
    first.start()
    second.start()
    numbers = [first.segment(), second.segment()]
    first.stop()
    numbers += second.segment(count=500)
    second.stop()
    first.start()
    numbers += first.segment(count=500)
    assert_distinct(numbers)


@pytest.mark.threads
def test_kill_9_and_restart_never_repeats(servers):
    server = servers().init().create_key("demo", 50)
    segment, snowflake = [], []
    for round_number in range(8):
        server.start()
        segment += [server.segment() for _ in range(20)] + server.segment(count=30 + round_number)
        snowflake += [server.snowflake() for _ in range(20)] + server.snowflake(count=50_000)
        server.kill()
    assert_distinct(segment)
    assert segment == sorted(segment)
    assert_distinct(snowflake)
    assert snowflake == sorted(snowflake)


def test_kill_9_in_the_middle_of_load(servers):
    server = servers().init().create_key("demo", 500)
    numbers, snowflakes = [], []
    for _ in range(4):
        server.start()

        def client(target, into):
            with server.connect() as wire:
                try:
                    while True:
                        into.append(wire.exchange(target).number())
                except (AssertionError, OSError):
                    return  # killed

        threading.Timer(0.4 * PATIENCE, server.process.kill).start()
        in_parallel([lambda: client("/api/segment/get/demo", numbers), lambda: client("/api/segment/get/demo", numbers),
                     lambda: client("/api/snowflake/get/demo", snowflakes)])
        server.kill()
    assert_distinct(numbers)
    assert_distinct(snowflakes)


def test_state_file_is_obeyed_after_a_kill(servers):
    """A server that ran ahead of the clock and was killed starts above what it may have used."""
    server = servers(snowflake__max_ahead="3s").init().start()
    highest = max(max(server.snowflake(count=100_000)) for _ in range(60))
    server.kill()
    server.start()
    assert server.snowflake() > highest


def test_two_servers_with_one_state_folder(servers):
    """With a static worker ID the second one must not issue Snowflake IDs."""
    first = servers("one").init().create_key("demo").start()
    second = servers("two", database=first.database, snowflake__state_dir=str(first.folder))
    second.launch()
    assert second.wait_exit() == 2
    assert "state_dir" in second.log_text() or "worker.lock" in second.log_text()
    assert first.snowflake() > 0


def test_without_a_state_folder_it_waits_and_says_so(servers):
    server = servers(snowflake__state_dir="", snowflake__max_clock_skew="2s").init().create_key("demo")
    begin = time.monotonic()
    server.start(ready=False)
    assert server.segment() == 1
    wait_for(lambda: server.fetch("/api/snowflake/get/demo").status == 200, 10)
    assert time.monotonic() - begin >= 2
    assert server.logged("snowflake.*(state_dir|state folder|state file)")


def test_damaged_state_file_is_not_trusted_and_not_fatal(servers):
    server = servers().init().create_key("demo").start()
    number = server.snowflake()
    server.stop()
    (server.folder / "worker.json").write_text('{"version": 1, "watermark"')
    server.start(ready=False)
    wait_for(lambda: server.fetch("/api/snowflake/get/demo").status == 200, 20)
    assert server.snowflake() > number
    assert server.logged("worker.json|state file")


def test_keys_used_recently_are_loaded_before_ready(servers):
    server = servers().init()
    for number in range(20):
        server.create_key(f"key{number}", 100)
    server.create_key("never-used", 100).start()
    for number in range(20):
        server.segment(f"key{number}")
    server.restart()
    connection = sqlite3.connect(server.folder / "frond.db")
    rows = dict(connection.execute("SELECT biz_tag, max_id FROM leaf_alloc").fetchall())
    connection.close()
    assert all(rows[f"key{number}"] >= 101 for number in range(20)), rows
    assert rows["never-used"] == 1
    for number in range(20):
        assert server.segment(f"key{number}") == 2


def test_without_a_database_it_says_what_to_do(servers):
    server = servers().launch()
    assert server.wait_exit() == 2
    assert "frond init" in server.log_text()
    assert not (server.folder / "frond.db").exists()


def test_removed_key_stops_within_refresh_interval(servers):
    server = servers(segment__refresh_interval="1s").init().create_key("demo").create_key("gone").start()
    server.segment("gone")
    connection = sqlite3.connect(server.folder / "frond.db")
    with connection:
        connection.execute("DELETE FROM leaf_alloc WHERE biz_tag = 'gone'")
    connection.close()
    wait_for(lambda: server.fetch("/api/segment/get/gone").status == 404, 5)
    assert server.fetch("/api/segment/get/gone").code() == "KEY_NOT_FOUND"
    assert server.segment() == 1


def test_snowflake_ids_of_a_stop_are_below_those_of_the_start(servers):
    server = servers().init()
    numbers = []
    for _ in range(5):
        server.start()
        numbers += server.snowflake(count=100_000)
        server.stop()
    assert numbers == sorted(set(numbers))
    assert timestamp_ms(numbers[-1]) < time.time() * 1000 + 1000


def test_sighup_does_not_end_it(server):
    server.signal(signal.SIGHUP)
    server.segment()
    assert server.running()


def test_stopped_process_goes_on(server):
    """SIGSTOP and SIGCONT, as a debugger or a paused machine does."""
    numbers = [server.snowflake(), server.segment()]
    server.signal(signal.SIGSTOP)
    time.sleep(1.5)
    server.signal(signal.SIGCONT)
    assert server.snowflake() > numbers[0]
    assert server.segment() == numbers[1] + 1


def test_load_over_a_restart(servers):
    """Clients under load, restarts between: no number twice."""
    server = servers().init().create_key("demo", 100)
    numbers = []
    for _ in range(3):
        server.start()
        with Load(server, "/api/segment/get/demo", pause=0) as load:
            wait_for(lambda: len(load.samples) > 300, 20)
        numbers += [sample.reply.number() for sample in load.samples if sample.status == 200]
        server.stop()
    assert_distinct(numbers)
