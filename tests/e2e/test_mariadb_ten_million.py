"""Two servers over one MariaDB: ten million IDs taken concurrently in batches, all distinct."""

import itertools

import pytest

from harness.load import in_parallel
from harness.waiting import SANITIZER

TOTAL = 10_000_000 if not SANITIZER else 1_000_000


class Runs:
    """A set of numbers as runs (first, last)."""

    def __init__(self):
        self.runs = []
        self.count = 0

    def add_ranges(self, reply):
        for entry in reply.json()["ranges"]:
            assert entry["delta"] == "1"
            first, last = int(entry["first"]), int(entry["last"])
            self.runs.append((first, last))
            self.count += last - first + 1

    def add_numbers(self, numbers):
        first = previous = numbers[0]
        for number in itertools.islice(numbers, 1, None):
            if number != previous + 1:
                self.runs.append((first, previous))
                first = number
            previous = number
        self.runs.append((first, previous))
        self.count += len(numbers)


def overlaps(all_runs):
    runs = sorted(run for runs in all_runs for run in runs.runs)
    return [(left, right) for left, right in zip(runs, runs[1:]) if left[1] >= right[0]]


@pytest.mark.threads
def test_ten_million_distinct_ids(servers, database):
    first = servers("a", database=database.url).init().create_key("demo", 1000).start()
    second = servers("b", database=database.url, snowflake__worker_id=1).start()

    def as_ranges(server, count, total):
        got = Runs()
        with server.connect(timeout=60) as wire:
            while got.count < total:
                got.add_ranges(wire.exchange(f"/api/segment/get/demo?format=ranges&count={count}"))
        return got

    def as_text(server, count, total):
        got = Runs()
        with server.connect(timeout=60) as wire:
            while got.count < total:
                got.add_numbers(wire.exchange(f"/api/segment/get/demo?count={count}").numbers())
        return got

    works = []
    for server in (first, second):
        works += [
            lambda s=server: as_ranges(s, 100_000, TOTAL // 10 * 2),
            lambda s=server: as_ranges(s, 33_333, TOTAL // 10),
            lambda s=server: as_ranges(s, 1_000, TOTAL // 10),
            lambda s=server: as_text(s, 1_000, TOTAL // 20),
            lambda s=server: as_text(s, 777, TOTAL // 20),
        ]
    results = in_parallel(works)
    assert sum(got.count for got in results) >= TOTAL
    assert not overlaps(results)
    highest = max(last for got in results for _, last in got.runs)
    assert database.max_id("demo") > highest


def test_checker_sees_a_repeated_number():
    left, right = Runs(), Runs()
    left.add_numbers([1, 2, 3, 10, 11])
    right.add_numbers([4, 5, 9])
    assert not overlaps([left, right])
    right.add_numbers([11])
    assert overlaps([left, right])
