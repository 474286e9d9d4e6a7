"""Waiting for a condition with a deadline, instead of sleeping and hoping."""

import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = pathlib.Path(os.environ.get("FROND_BINARY", ROOT / "build" / "release" / "frond")).resolve()


def _sanitizer():
    if not BINARY.exists():
        return None
    libraries = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
    return next((name for name in ("asan", "tsan") if f"lib{name}" in libraries), None)


# "asan", "tsan" or None: which sanitizer the binary was built with.
SANITIZER = _sanitizer()

# How much longer than a quiet machine with a release build everything may take. No figure is asserted with it that the
# design promises; it bounds how long a failing test hangs.
PATIENCE = {None: 1, "asan": 3, "tsan": 6}[SANITIZER]


class Deadline:
    """So many seconds from now, stretched by PATIENCE."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds * PATIENCE

    def left(self):
        return max(0.0, self.end - time.monotonic())

    def passed(self):
        return time.monotonic() >= self.end


def wait_for(condition, seconds=10, what=None, every=0.02):
    """Calls `condition` until it returns something true, and returns that; fails after `seconds`."""
    deadline = Deadline(seconds)
    while True:
        value = condition()
        if value:
            return value
        if deadline.passed():
            raise AssertionError(f"waited {seconds} s in vain for {what or condition}")
        time.sleep(every)
