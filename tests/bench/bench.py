"""Measures the rows of the table and prints it; see scripts/bench."""

import argparse
import statistics
import sys

from machine import CORES, Bench, describe, run_program
from rows import KINDS, Round
from verdict import Row, noise

PAIRS = 7
SECONDS = 3


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures Frond against this machine's floor.")
    parser.add_argument("--check", action="store_true", help="exit 1 when a row falls short, 3 when it is too noisy")
    parser.add_argument("--quick", action="store_true", help="one short pair for each row")
    parser.add_argument("--rows", default="", metavar="NAME,...", help="only these rows")
    parser.add_argument("--list", action="store_true", help="name the rows")
    options = parser.parse_args(arguments)
    names = [name for name in options.rows.split(",") if name]
    unknown = set(names) - {kind.name for kind in KINDS}
    if unknown:
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}")
    options.kinds = [kind for kind in KINDS if not names or kind.name in names]
    return options


def gain_of_two_threads():
    """How much more a plain loop does on two threads than on one; None on one core."""
    if len(CORES) < 2:
        return None
    one = run_program("bench_rates", "loop", 1, 1, core=None)["per_second"]
    return run_program("bench_rates", "loop", 1, 2, core=None)["per_second"] / one


def show_progress(text):
    """One line that is written over again and again, where somebody is looking."""
    if sys.stderr.isatty():
        print(f"\r{text:40}\r{text}", end="", file=sys.stderr, flush=True)


def measure(kinds, pairs, seconds):
    """All rows, a round at a time, so that the sides of each pair stand close together; and the floor's own figures."""
    values = {kind.name: [] for kind in kinds}
    notes = {kind.name: {} for kind in kinds}
    floor = []
    with Bench() as bench:
        for number in range(pairs):
            round_ = Round(bench, seconds)
            for kind in kinds:
                if kind.rounds is not None and number >= kind.rounds:
                    continue
                show_progress(f"round {number + 1} of {pairs}: {kind.name}")
                value, sides = kind.measure(round_)
                values[kind.name].append(value)
                for side, figure in sides.items():
                    notes[kind.name].setdefault(side, []).append(figure)
                if kind.name == "cpu":
                    floor.append(sides["floor us"])
    show_progress("")
    rows = []
    for kind in kinds:
        sides = ", ".join(f"{side} {statistics.median(figures):.4g}" for side, figures in notes[kind.name].items())
        rows.append(Row(kind.name, kind.text, kind.limit, kind.unit, values[kind.name], sides))
    return rows, floor


def main():
    options = parse(sys.argv[1:])
    if options.list:
        for kind in KINDS:
            print(f"{kind.name:12}{str(kind.limit):14}{kind.unit:6}{kind.text}")
        return 0
    if len(CORES) < 2:
        print("bench: needs two cores, one for the server and one for the load", file=sys.stderr)
        return 3 if options.check else 0

    gain = gain_of_two_threads()
    pairs, seconds = (1, 1) if options.quick else (PAIRS, SECONDS)
    rows, floor = measure(options.kinds, pairs, seconds)
    print(f"{describe()}; server pinned to one core, load on another; "
          f"median of {pairs} interleaved pairs of {seconds} s (quartiles)")
    for row in rows:
        print(row.line())
    reasons = noise(floor, gain)
    for reason in reasons:
        print(f"too noisy: {reason}")
    if options.quick:
        print("quick: figures of single short runs, not to be judged by")
    if not options.check:
        return 0
    if reasons:
        return 3
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
