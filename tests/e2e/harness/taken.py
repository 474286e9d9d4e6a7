"""IDs that a test has taken, from one server or several, and what must hold for all of them together."""

import time

from .ids import expand, timestamp_ms, worker_of

SLACK_MS = 150  # for clocks that draw near to each other slowly, and are read one after the other


def now_ms():
    """The true time."""
    return time.time_ns() // 1_000_000


class Taken:
    """`max_ahead_ms` as the servers have it: how far IDs may run ahead of the clock."""

    def __init__(self, max_ahead_ms=1000):
        self.numbers = []
        self.max_ahead_ms = max_ahead_ms

    def take(self, server, single=100, batch=300, late_ms=0):
        """Takes IDs one by one and as a batch. Every request is answered with 200, and the times in the IDs are true,
        or at most `late_ms` behind. Returns the IDs."""
        begin = now_ms()
        with server.connect() as wire:
            new = [wire.exchange("/api/snowflake/get/x").number() for _ in range(single)]
            new += expand(wire.exchange(f"/api/snowflake/get/x?count={batch}&format=ranges"))
        end = now_ms()
        assert new == sorted(set(new))
        assert len({worker_of(number) for number in new}) == 1
        # A server that starts anew begins above what it may have used before: as far ahead again.
        assert begin - late_ms - SLACK_MS <= timestamp_ms(new[0])
        assert timestamp_ms(new[-1]) <= end + 2 * self.max_ahead_ms + SLACK_MS
        self.numbers += new
        return new

    def assert_distinct(self):
        assert len(self.numbers) == len(set(self.numbers))

    def assert_increasing(self):
        """All in the order in which they were taken, for IDs of one worker ID."""
        assert self.numbers == sorted(set(self.numbers))

    @property
    def workers(self):
        """The worker IDs in the order in which they were first met."""
        return list(dict.fromkeys(worker_of(number) for number in self.numbers))


def assert_no_record_is_blocked_for_long(fences, window_ms=900_000):
    """No fence is further in the future than a heartbeat of a right clock sets it."""
    latest = now_ms() + window_ms + 2000
    assert fences and all(fence <= latest for fence in fences), [fence - now_ms() for fence in fences]
