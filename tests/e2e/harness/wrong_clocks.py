"""What the tests of wrong clocks at start are made of: first lives, and reasons that name clocks."""

import datetime
import re

from .taken import Taken, assert_no_record_is_blocked_for_long, now_ms
from .waiting import wait_for

# Steps of a clock, and what they are in ms.
NEAR = {"-0.001s": -1, "-0.005s": -5, "-1s": -1000, "+1s": 1000}
FAR = {"-30s": -30_000, "-1h": -3_600_000, "+1h": 3_600_000, "+10y": 10 * 365 * 86_400_000}

HEARTBEAT = {"snowflake__heartbeat": "100ms"}
# What the earlier process left behind: how it ended, and whether there is a state file.
ENDS = {
    "killed, with file": ("kill", {}),
    "killed, without file": ("kill", {"snowflake__state_dir": ""}),
    "stopped, with file": ("stop", {}),
    "stopped, without file": ("stop", {"snowflake__state_dir": ""}),
}
CLOCK_SLACK_MS = 14_000  # between the making of a message and the look at it


def live_once(server, end):
    """A first life with a right clock; what was taken in it."""
    taken = Taken()
    server.start()
    wait_issuing(server)
    taken.take(server)
    getattr(server, end)()
    return taken


def reason(server):
    return server.manage("/readyz?verbose").text()


def clocks_in(text):
    """The times that a message names, in ms since the Unix epoch."""
    found = re.findall(r"shows (\d{4}-\d\d-\d\dT[\d:.]+Z)", text)
    return [round(datetime.datetime.fromisoformat(each).timestamp() * 1000) for each in found]


def assert_clocks(text, *offsets):
    """The message names these clocks, by their offsets to the true time."""
    clocks = clocks_in(text)
    assert len(clocks) == len(offsets), text
    for clock, offset in zip(clocks, offsets):
        # Ten years by libfaketime and by the calendar differ by a few days.
        slack = CLOCK_SLACK_MS + (4 * 86_400_000 if abs(offset) > 86_400_000 else 0)
        assert abs(clock - now_ms() - offset) < slack, text


def refusal(server, clocks=2):
    """The reason why Snowflake mode is not ready, once it names so many clocks; segment mode serves meanwhile."""
    wait_for(lambda: len(clocks_in(reason(server))) == clocks, 30, f"a reason with {clocks} clocks")
    reply = server.fetch("/api/snowflake/get/x")
    assert reply.status == 503 and reply.code() == "CLOCK_ROLLBACK"
    assert server.segment() > 0
    wait_for(server.is_ready, 20, "segment mode")
    return reason(server)


def wait_issuing(server, seconds=20):
    wait_for(lambda: server.fetch("/api/snowflake/get/x").status == 200, seconds, "Snowflake mode")


def owners(records):
    return {entry.number: entry.fields["owner"] for entry in records.frond_records()}


def assert_not_blocked(records):
    assert_no_record_is_blocked_for_long([entry.fields["fence"] for entry in records.frond_records()])
