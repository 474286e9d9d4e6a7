"""Runs spin's verifier on the model of worker-ID leases."""

import dataclasses
import pathlib
import re
import subprocess

MODEL = pathlib.Path(__file__).with_name("worker_lease.pml")

# Far more than any search here needs; one that reaches it is not complete, and says so.
DEPTH = 100_000

# What pan says when it has not looked at everything.
TRUNCATED = ("max search depth too small", "Search not completed", "-DMEMLIM", "out of memory", "hash table full")


@dataclasses.dataclass(frozen=True)
class World:
    """One configuration of the model."""

    definitions: tuple[str, ...] = ()
    ticks: int = 3
    writes: int = 3
    crashes: int = 1

    def options(self):
        bounds = (f"TICKS={self.ticks}", f"WRITES={self.writes}", f"CRASHES={self.crashes}")
        return [f"-D{each}" for each in (*bounds, *self.definitions)]

    def but(self, definition):
        return dataclasses.replace(self, definitions=(*self.definitions, definition))


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a search has found."""

    text: str
    history: str  # of the violation, if there was one

    @property
    def errors(self):
        return int(re.search(r"errors: (\d+)", self.text)[1])

    @property
    def complete(self):
        return not any(sign in self.text for sign in TRUNCATED)

    @property
    def violation(self):
        """The assertion that failed, without blanks; empty if none did."""
        found = re.search(r"assertion violated (.*) \(at depth", self.text)
        return found[1].replace(" ", "") if found else ""

    @property
    def unreached(self):
        """Lines of the model that no run comes to; the end of a process that goes on for ever is none."""
        found = re.findall(r"worker_lease\.pml:(\d+), state \d+, \"(.*)\"", self.text)
        return [(int(line), what) for line, what in found if what != "-end-"]


def run(command, folder, timeout=170):
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def verify(world, folder, optimised=False, memory_mb=1000, timeout=170):
    """Searches all states of the model, or until an assertion fails. Compiling costs more than a short search."""
    run(["spin", "-a", *world.options(), str(MODEL)], folder)
    level = "-O2" if optimised else "-O0"
    run(["gcc", level, "-w", "-DSAFETY", "-DNOREDUCE", f"-DMEMLIM={memory_mb}", "-o", "pan", "pan.c"], folder)
    text = run(["./pan", f"-m{DEPTH}"], folder, timeout)
    history = ""
    if list(folder.glob("*.trail")):
        trail = next(folder.glob("*.trail"))
        history = run(["spin", "-k", str(trail), "-p", "-g", *world.options(), str(MODEL)], folder)
    return Verdict(text, history)
