"""Taking apart replies that hold IDs."""

EPOCH_MS = 1288834974657  # the default layout: 41 bits timestamp, 10 bits worker ID, 12 bits sequence


def expand(reply):
    """The IDs of a reply with format=ranges, as a list."""
    assert reply.status == 200, reply
    numbers = []
    for entry in reply.json()["ranges"]:
        first, last, delta = int(entry["first"]), int(entry["last"]), int(entry["delta"])
        assert delta >= 1 and first <= last and (last - first) % delta == 0, entry
        numbers.extend(range(first, last + 1, delta))
    return numbers


def timestamp_ms(number, epoch=EPOCH_MS, worker_bits=10, sequence_bits=12):
    return (number >> (worker_bits + sequence_bits)) + epoch


def worker_of(number, worker_bits=10, sequence_bits=12):
    return (number >> sequence_bits) & ((1 << worker_bits) - 1)


def assert_distinct(numbers):
    numbers = list(numbers)
    assert len(set(numbers)) == len(numbers), f"{len(numbers) - len(set(numbers))} repeated IDs of {len(numbers)}"
