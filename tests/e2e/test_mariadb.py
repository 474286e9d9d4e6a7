"""Segment mode over a real MariaDB."""

import time

import pytest

from harness.ids import assert_distinct
from harness.load import Load, in_parallel
from harness.proxy import Relay
from harness.waiting import PATIENCE, wait_for


@pytest.fixture
def server(servers, database):
    return servers(database=database.url).init().create_key("demo", 1000).start()


def test_issues_in_the_database(server, database):
    assert [server.segment() for _ in range(3)] == [1, 2, 3]
    assert database.max_id("demo") >= 1001
    server.stop()
    assert database.max_id("demo") == 4


def test_over_the_socket_in_default_authentication(servers, database):
    server = servers(database=database.socket_url).init().create_key("demo").start()
    assert server.segment() == 1


def test_password_from_a_file(servers, database, folder):
    (folder / "password").write_text("s3cret\n")
    url = database.url.replace(":s3cret", "")
    server = servers(database=database.url).init().create_key("demo")
    server.arguments = ["--set", f"database.0.password_file={folder}/password"]
    server.database = url
    assert server.start().segment() == 1


def test_password_from_the_environment(servers, database):
    server = servers(database=database.url).init().create_key("demo")
    server.database = database.url.replace(":s3cret", "")
    server.environment["FROND__DATABASE__0__PASSWORD"] = "s3cret"
    assert server.start().segment() == 1


def test_wrong_password_is_reported_without_it(servers, database):
    server = servers(database=database.url.replace("s3cret", "wr0ng")).launch()
    assert server.wait_exit() == 2
    assert server.logged("Access denied")
    assert "wr0ng" not in server.log_text()


def test_without_tables_it_says_what_to_do(servers, database):
    server = servers(database=database.url).launch()
    assert server.wait_exit() == 2
    assert "frond init" in server.log_text()


def test_tables_are_made_as_promised(server, database):
    create = database.sql("SHOW CREATE TABLE leaf_alloc")[0][1]
    for word in ("`biz_tag` varchar(128)", "`max_id` bigint", "`step` int", "`description` varchar(256)",
                 "`update_time` timestamp", "PRIMARY KEY (`biz_tag`)", "utf8mb4_bin", "InnoDB"):
        assert word in create, create
    assert {row[0] for row in database.sql("SHOW TABLES")} >= {"leaf_alloc", "frond_key"}


LEAF_TABLE = """CREATE TABLE `leaf_alloc` (
  `biz_tag` varchar(128) NOT NULL DEFAULT '', `max_id` bigint(20) NOT NULL DEFAULT '1', `step` int(11) NOT NULL,
  `description` varchar(256) DEFAULT NULL,
  `update_time` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`biz_tag`)) ENGINE=InnoDB"""


def leaf_row(database, key, max_id=1, step=100):
    database.sql("INSERT INTO leaf_alloc (biz_tag, max_id, step, description) VALUES (%s, %s, %s, 'x')", key, max_id, step)


def test_live_table_of_leaf_is_shared_with_a_leaf_server(servers, database):
    """Leaf's own two statements between ours: ranges never overlap."""
    database.sql(LEAF_TABLE)
    leaf_row(database, "order", 1, 50)
    server = servers(database=database.url).init().start()
    numbers = []
    for _ in range(20):
        numbers += server.segment("order", 40)
        connection = database.server.connect(database.name)
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'order'")
            cursor.execute("SELECT max_id, step FROM leaf_alloc WHERE biz_tag = 'order'")
            max_id, step = cursor.fetchone()
            cursor.execute("COMMIT")
        connection.close()
        numbers += range(max_id - step, max_id)
    assert_distinct(numbers)


@pytest.mark.parametrize("charset", ["utf8mb4 COLLATE utf8mb4_general_ci", "latin1", "utf8mb3", "utf8mb4 COLLATE utf8mb4_bin"])
def test_keys_are_compared_byte_for_byte_in_any_collation(servers, database, charset):
    database.sql(LEAF_TABLE + f" DEFAULT CHARSET={charset}")
    leaf_row(database, "order")
    leaf_row(database, "café")
    server = servers(database=database.url).init().start()
    before = database.max_id("order")
    for other in ("ORDER", "Order", "order%20", "cafe", "caf%C3%89", "%F0%9F%A6%80", "%E9%94%AE", "order%00"[:5] + "%20%20"):
        assert server.fetch(f"/api/segment/get/{other}").code() == "KEY_NOT_FOUND", other
    assert database.max_id("order") == before
    assert server.segment("order") == 1
    assert server.segment("caf%C3%A9") == 1
    assert server.manage("/readyz/segment").status == 200


def test_keys_of_every_kind(servers, database):
    server = servers(database=database.url).init()
    keys = ["order.pay", "a:b", "100%", "x/y", "ключ", "🦀" * 128, "'; DROP TABLE leaf_alloc; --", "back\\slash", ":name", "a=:b"]
    for key in keys:
        server.create_key(key, 10)
    server.start()
    from urllib.parse import quote

    for key in keys:
        assert server.fetch("/api/segment/get/" + quote(key, safe="")).number() == 1, key


@pytest.mark.parametrize("change", ["step = 0", "step = -5", "max_id = -100"])
def test_misconfigured_rows(servers, database, change):
    server = servers(database=database.url).init().create_key("row", 100)
    database.sql(f"UPDATE leaf_alloc SET {change} WHERE biz_tag = 'row'")
    server.start()
    before = database.max_id("row")
    for _ in range(3):
        assert server.fetch("/api/segment/get/row").code() == "KEY_MISCONFIGURED"
    assert database.max_id("row") == before
    database.sql("UPDATE leaf_alloc SET step = 100, max_id = 1 WHERE biz_tag = 'row'")
    wait_for(lambda: server.fetch("/api/segment/get/row").status == 200, 10, "the repaired row")


def test_numbers_used_up(servers, database):
    server = servers(database=database.url).init().create_key("row", 100)
    database.sql("UPDATE leaf_alloc SET max_id = %s WHERE biz_tag = 'row'", 2**63 - 50)
    server.start()
    reply = server.fetch("/api/segment/get/row")
    assert reply.status == 410
    assert reply.code() == "KEY_EXHAUSTED"
    assert database.max_id("row") == 2**63 - 50


@pytest.mark.parametrize("middle", [2**31, 2**53])
def test_numbers_across_powers_of_two(servers, database, middle):
    server = servers(database=database.url).init().create_key("row", 100)
    database.sql("UPDATE leaf_alloc SET max_id = %s WHERE biz_tag = 'row'", middle - 150)
    server.start()
    assert server.segment("row", 300) == list(range(middle - 150, middle + 150))


# --- edits of a row while servers run


def test_changed_step_takes_effect_at_the_next_refill(server, database):
    server.create_key("edited", 10)
    server.segment("edited", 5)
    database.sql("UPDATE leaf_alloc SET step = 7000 WHERE biz_tag = 'edited'")
    before = wait_for(lambda: database.max_id("edited"))
    for _ in range(200):
        server.segment("edited")
    wait_for(lambda: database.max_id("edited") - before >= 7000, 10)


def test_removed_key_stops_and_comes_back(servers, database):
    server = servers(database=database.url, segment__refresh_interval="1s").init().create_key("gone", 100).start()
    server.segment("gone")
    row = database.sql("SELECT max_id FROM leaf_alloc WHERE biz_tag = 'gone'")[0][0]
    database.sql("DELETE FROM leaf_alloc WHERE biz_tag = 'gone'")
    wait_for(lambda: server.fetch("/api/segment/get/gone").status == 404, 5)
    leaf_row(database, "gone", row, 100)
    wait_for(lambda: server.fetch("/api/segment/get/gone").status == 200, 5)


def test_emptied_table_ends_all_keys(servers, database):
    """Leaf #204: with the last key gone its cache lived on."""
    server = servers(database=database.url, segment__refresh_interval="1s").init().create_key("a").create_key("b").start()
    server.segment("a"), server.segment("b")
    database.sql("DELETE FROM leaf_alloc")
    for key in ("a", "b"):
        wait_for(lambda key=key: server.fetch(f"/api/segment/get/{key}").status == 404, 5)


def test_key_inserted_after_a_negative_look_up(server, database):
    assert server.fetch("/api/segment/get/new").code() == "KEY_NOT_FOUND"
    leaf_row(database, "new")
    wait_for(lambda: server.fetch("/api/segment/get/new").status == 200, 1.5)


def test_scan_for_random_names_does_not_load_the_database(server, database):
    for number in range(20):
        server.fetch(f"/api/segment/get/none{number % 2}")

    def questions():
        return int(dict(database.server.sql("SHOW GLOBAL STATUS LIKE 'Questions'"))["Questions"])

    before = questions()
    with server.connect() as wire:
        for _ in range(500):
            assert wire.exchange("/api/segment/get/none0").status == 404
    assert questions() - before < 200


# --- a table that went backwards


@pytest.fixture
def far_ahead(servers, database):
    """A server whose key has been given numbers from 1,000,000 on."""
    server = servers(database=database.url).init().create_key("demo", 100)
    database.sql("UPDATE leaf_alloc SET max_id = 1000000 WHERE biz_tag = 'demo'")
    server.start()
    assert server.segment() == 1_000_000
    return server


def use_up(server):
    """Takes what is in memory; returns the first reply that is an error."""
    with server.connect() as wire:
        for _ in range(5000):
            reply = wire.exchange("/api/segment/get/demo")
            if reply.status != 200:
                return reply
    raise AssertionError("still issuing")


def set_back(database):
    database.sql("UPDATE leaf_alloc SET max_id = 1 WHERE biz_tag = 'demo'")


def test_table_that_went_backwards_is_refused(far_ahead, database):
    set_back(database)
    reply = use_up(far_ahead)
    assert reply.status == 503
    assert reply.code() == "STORE_WENT_BACKWARDS"
    assert int(reply.header("retry-after")) >= 1
    assert far_ahead.fetch("/api/segment/get/demo").code() == "STORE_WENT_BACKWARDS"
    assert far_ahead.logged("demo.*(backward|below|accept)|backward.*demo")
    backwards = [value for name, value in far_ahead.metrics().items() if "backward" in name]
    assert sum(backwards) >= 1
    assert far_ahead.snowflake() > 0


def test_table_that_is_above_the_guard_again_is_taken(far_ahead, database):
    set_back(database)
    use_up(far_ahead)
    database.sql("UPDATE leaf_alloc SET max_id = 5000000 WHERE biz_tag = 'demo'")
    wait_for(lambda: far_ahead.fetch("/api/segment/get/demo").status == 200, 15)
    assert far_ahead.segment() >= 5_000_000


def test_operator_accepts_the_table(far_ahead, database):
    set_back(database)
    use_up(far_ahead)
    done = far_ahead.command("key", "accept", "demo")
    assert "demo" in done.stdout + done.stderr
    wait_for(lambda: far_ahead.fetch("/api/segment/get/demo").status == 200, 15)
    assert far_ahead.segment() < 1_000_000


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_guard_outlives_a_restart(far_ahead, database, end):
    far_ahead.segment(count=500)
    getattr(far_ahead, end)()
    set_back(database)
    far_ahead.start()
    assert far_ahead.fetch("/api/segment/get/demo").code() == "STORE_WENT_BACKWARDS"
    far_ahead.command("key", "accept", "demo")
    wait_for(lambda: far_ahead.fetch("/api/segment/get/demo").status == 200, 15)


def test_raise_after_a_restore(servers, database):
    """The documented step: put every number above what may have been used."""
    server = servers(database=database.url).init().create_key("a", 100).create_key("b", 100)
    server.command("key", "raise", "--all", "--by", 50_000)
    server.start()
    assert server.segment("a") == 50_001
    assert server.segment("b") == 50_001


# --- faults of the connection


@pytest.fixture
def relay(database):
    relay = Relay(database.server.port)
    yield relay
    relay.close()


def through(relay, database):
    return database.url.replace(f":{database.server.port}/", f":{relay.port}/")


def test_outcome_unknown_is_a_gap_and_never_a_repeat(servers, database, relay):
    """The connection is cut just when COMMIT has been sent."""
    server = servers(database=database.url).init().create_key("demo", 10)
    server.database = through(relay, database)
    server.start()
    numbers = []
    for round_number in range(40):
        if round_number % 4 == 1:
            relay.cut_after = b"COMMIT"
        reply = server.fetch("/api/segment/get/demo?count=25")
        if reply.status == 200:
            numbers += reply.numbers()
        else:
            assert reply.status == 503
        relay.cut_after = None
    assert relay.cuts >= 3
    assert len(numbers) > 100
    assert_distinct(numbers)


def test_cut_connections_are_made_anew(servers, database, relay):
    server = servers(database=database.url).init().create_key("demo", 10)
    server.database = through(relay, database)
    server.start()
    numbers = []
    for _ in range(15):
        relay.cut_all()
        reply = wait_for(lambda: (lambda r: r if r.status == 200 else None)(
            server.fetch("/api/segment/get/demo?count=30")), 10)
        numbers += reply.numbers()
    assert_distinct(numbers)


# --- a database that is down, stopped, killed


def test_starts_with_the_database_down_and_recovers(servers, own_mariadb):
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url).init().create_key("demo")
    own_mariadb.stop()
    server.start(ready=False)
    assert server.manage("/livez").status == 200
    wait_for(lambda: server.fetch("/api/snowflake/get/demo").status == 200, 10)
    reply = server.fetch("/api/segment/get/demo")
    assert reply.status == 503
    assert reply.code() == "SEGMENT_UNAVAILABLE"
    assert int(reply.header("retry-after")) >= 1
    assert server.manage("/readyz/segment").status == 503
    wait_for(lambda: server.manage("/readyz/snowflake").status == 200, 10)
    wait_for(lambda: server.manage("/readyz").status == 200, 10, "ready with one mode alone")
    own_mariadb.start()
    wait_for(lambda: server.fetch("/api/segment/get/demo").status == 200, 10)
    wait_for(lambda: server.manage("/readyz/segment").status == 200, 10)
    assert len(server.logged("database|store")) <= 10


@pytest.mark.threads
def test_killed_and_restarted_under_load(servers, own_mariadb):
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url).init().create_key("demo", 20).start()
    loads = [Load(server, "/api/segment/get/demo?count=7", pause=0) for _ in range(4)]
    for load in loads:
        load.__enter__()
    for _ in range(2):
        time.sleep(1)
        own_mariadb.kill()
        time.sleep(1)
        own_mariadb.start()
        back = time.monotonic()
        wait_for(lambda: any(sample.status == 200 for load in loads for sample in load.since(back)), 12)
    for load in loads:
        load.stop()
    numbers = [number for load in loads for sample in load.samples if sample.status == 200
               for number in sample.reply.numbers()]
    assert_distinct(numbers)
    assert {sample.status for load in loads for sample in load.samples} <= {200, 503}


@pytest.mark.threads
def test_sigstop_of_the_database_under_load_of_both_modes(servers, own_mariadb):
    """Leaf: a stalled database blocks every thread, Snowflake too. Here: cached ranges and Snowflake IDs go on."""
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url).init().create_key("cached", 1_000_000).create_key("small", 10).start()
    server.segment("cached"), server.segment("small")
    with Load(server, "/api/snowflake/get/x") as snowflake, Load(server, "/api/segment/get/cached") as cached, \
            Load(server, "/api/segment/get/small") as small, Load(server, "/api/segment/get/unseen") as unseen:
        time.sleep(1)
        own_mariadb.pause()
        paused = time.monotonic()
        time.sleep(8)
        end = time.monotonic()
        own_mariadb.resume()
        wait_for(lambda: any(sample.status == 200 for sample in small.since(end)), 6, "recovery")
    for load in (snowflake, cached):
        during = load.between(paused, end)
        assert len(during) > 100
        assert all(sample.status == 200 for sample in load.samples)
        assert max(sample.took for sample in during) < 1 * PATIENCE
    refused = [sample for sample in small.between(paused, end) if sample.status != 200]
    assert refused
    for sample in refused:
        assert sample.reply.code() == "SEGMENT_UNAVAILABLE"
        assert int(sample.reply.header("retry-after")) >= 1
        assert sample.took < 2 + 1.5 * PATIENCE
    assert {sample.status for sample in unseen.samples} <= {404, 503}
    assert_distinct(sample.reply.number() for sample in small.samples if sample.status == 200)
    assert_distinct(sample.reply.number() for sample in snowflake.samples)


def test_stop_of_the_server_while_the_database_hangs(servers, own_mariadb):
    """A stuck database must not keep the server from stopping in time."""
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url, server__drain_timeout="2s").init().create_key("demo", 10).start()
    server.segment()
    own_mariadb.pause()
    try:
        begin = time.monotonic()
        server.signal(15)
        assert server.wait_exit(20) == 0
        assert time.monotonic() - begin < 10 * PATIENCE
    finally:
        own_mariadb.resume()


def test_not_durable_database_is_warned_about(server):
    events = server.logged("innodb_flush_log_at_trx_commit")
    assert events and all(event["level"] == "warning" for event in events)


def test_durable_database_is_not(servers, own_mariadb):
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url).init().create_key("demo").start()
    server.segment()
    assert not server.logged("innodb_flush_log_at_trx_commit|sync_binlog")


# --- two servers


@pytest.mark.threads
def test_two_servers_over_one_database_hand_back_soundly(servers, database):
    """Graceful restarts of one while the other issues: no number twice."""
    first = servers("a", database=database.url).init().create_key("demo", 50)
    second = servers("b", database=database.url, snowflake__worker_id=1).start()
    numbers = []
    with Load(second, "/api/segment/get/demo?count=3", pause=0.002) as load:
        for _ in range(6):
            first.start()
            numbers += in_parallel([lambda: first.segment(count=40)] * 3)
            first.stop()
    numbers = [number for part in numbers for number in part]
    numbers += [number for sample in load.samples for number in sample.reply.numbers()]
    assert_distinct(numbers)


def test_snowflake_ids_of_two_servers_are_distinct(servers, database):
    first = servers("a", database=database.url).init().create_key("demo").start()
    second = servers("b", database=database.url, snowflake__worker_id=1).start()
    results = in_parallel([lambda server=server: server.snowflake(count=50_000) for server in (first, second)] * 3)
    assert_distinct(number for numbers in results for number in numbers)
