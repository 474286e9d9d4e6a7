"""The database is away for a minute under load: what is cached and Snowflake IDs go on, the rest is refused in time,
and everything comes back by itself with few words in the log."""

import time

import pytest

from harness.ids import assert_distinct
from harness.load import Load
from harness.waiting import PATIENCE, wait_for

OUTAGE_SECONDS = 60
REFILL_TIMEOUT = 2
RECOVERY_SECONDS = 6
LOG_LINES = 10


@pytest.mark.timeout(400)
@pytest.mark.parametrize("how", ["stopped", "killed", "paused"])
def test_a_minute_without_the_database(servers, own_mariadb, how):
    database = own_mariadb.make_database("ids")
    server = servers(database=database.url).init().create_key("cached", 1_000_000).create_key("small", 10)
    server.create_key("cold", 1000).start()
    server.segment("cached"), server.segment("small")
    loads = {
        "snowflake": Load(server, "/api/snowflake/get/x"),
        "snowflake batch": Load(server, "/api/snowflake/get/x?count=100", pause=0.02),
        "cached": Load(server, "/api/segment/get/cached"),
        "cached batch": Load(server, "/api/segment/get/cached?count=50", pause=0.02),
        "small": Load(server, "/api/segment/get/small"),
        "cold": Load(server, "/api/segment/get/cold?count=500", pause=0.02),
    }
    for load in loads.values():
        load.__enter__()
    time.sleep(1)

    lines_before = len(server.log())
    {"stopped": own_mariadb.stop, "killed": own_mariadb.kill, "paused": own_mariadb.pause}[how]()
    away = time.monotonic()
    time.sleep(OUTAGE_SECONDS)
    if how == "paused":
        own_mariadb.resume()
    else:
        own_mariadb.start()
    back = time.monotonic()
    for name in ("small", "cold"):
        wait_for(lambda name=name: any(sample.status == 200 for sample in loads[name].since(back)), RECOVERY_SECONDS,
                 f"recovery of {name}")
    wait_for(lambda: server.manage("/readyz/segment").status == 200, RECOVERY_SECONDS)
    time.sleep(1)
    for load in loads.values():
        load.stop()

    for name in ("snowflake", "snowflake batch", "cached", "cached batch"):
        during = loads[name].between(away, back)
        assert len(during) > 100
        assert [sample.status for sample in loads[name].samples if sample.status != 200] == [], name
        assert max(sample.took for sample in during) < 1 * PATIENCE, name
    for name in ("small", "cold"):
        refused = [sample for sample in loads[name].samples if sample.status != 200]
        assert refused, name
        for sample in refused:
            assert sample.status == 503
            assert sample.reply.code() == "SEGMENT_UNAVAILABLE"
            assert int(sample.reply.header("retry-after")) >= 1
            assert sample.took < REFILL_TIMEOUT + 1 * PATIENCE
        assert all(sample.status == 200 for sample in loads[name].samples if sample.at > back + RECOVERY_SECONDS * PATIENCE)

    lines = server.log()[lines_before:]
    assert len(lines) <= LOG_LINES, [line["msg"] for line in lines]
    assert len(lines) >= 2, "one line when trouble begins and one when it ends"
    for first, second in (("snowflake", "snowflake batch"), ("cached", "cached batch")):
        assert_distinct(number for name in (first, second) for sample in loads[name].samples
                        for number in sample.reply.numbers())
