"""A wrong wall clock for one process, by libfaketime."""

import os
import pathlib
import subprocess


class FakeClock:
    """The wall clock of the processes that get environment() is off by what step() says, their steady clock is not.
    `name` tells the clocks in one folder apart."""

    def __init__(self, folder, offset="+0", name="clock"):
        self.file = pathlib.Path(folder) / name
        self.step(offset)

    def step(self, offset):
        """Sets the offset to the true time: "-5s", "+1.5s", "-1h", "+10y"; seen at the next look at the clock."""
        new = self.file.with_suffix(".new")
        new.write_text(offset + "\n")
        new.rename(self.file)

    def environment(self, sanitizer=None):
        """What to add to a process's environment; `sanitizer` as in waiting.SANITIZER if it was built with one."""
        library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        preload = [str(library)]
        if sanitizer == "asan":  # must come first
            name = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
            preload.insert(0, os.path.realpath(name.stdout.strip()))
        return {
            "LD_PRELOAD": " ".join(preload),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",  # the times of files are true
        }

    @staticmethod
    def clean_after(pid):
        """Removes what libfaketime leaves of a process that was killed; it would stop a later one of that number."""
        for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
            (pathlib.Path("/dev/shm") / name).unlink(missing_ok=True)
