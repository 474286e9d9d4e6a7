"""Clients that go on asking in the background, and what they saw."""

import threading
import time

from .wire import Wire


def in_parallel(works):
    """Runs all functions at once, each on a thread of its own; returns their results, or raises the first failure."""
    results = [None] * len(works)
    failures = []

    def run(index, work):
        try:
            results[index] = work()
        except BaseException as failure:  # noqa: B902: also assertion errors go to the test
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(index, work), daemon=True) for index, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


class Sample:
    """One request as a client saw it: when it was sent, how long it took (seconds), the status, and the reply."""

    __slots__ = ("at", "took", "status", "reply")

    def __init__(self, at, took, reply):
        self.at, self.took, self.status, self.reply = at, took, reply.status, reply


class Load:
    """Asks `target` again and again on one kept connection, with a pause between; a context manager."""

    def __init__(self, server, target, pause=0.005, timeout=30):
        self.server, self.target, self.pause, self.timeout = server, target, pause, timeout
        self.samples = []
        self.failure = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._stop.set()
        self._thread.join()
        if self.failure:
            raise AssertionError(f"client of {self.target} broke") from self.failure

    def _run(self):
        try:
            with Wire(self.server.port, timeout=self.timeout) as wire:
                while not self._stop.is_set():
                    at = time.monotonic()
                    reply = wire.exchange(self.target)
                    self.samples.append(Sample(at, time.monotonic() - at, reply))
                    if reply.header("connection") == "close":
                        return
                    time.sleep(self.pause)
        except Exception as failure:  # shown by stop()
            self.failure = failure

    def since(self, moment):
        return [sample for sample in list(self.samples) if sample.at >= moment]

    def between(self, begin, end):
        return [sample for sample in list(self.samples) if begin <= sample.at < end]
