"""From measured pairs to a row of the table: quartiles, limits, verdicts. Pure functions."""

import dataclasses
import statistics


def quartiles(values):
    """(lower quartile, median, upper quartile) of one or more values."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


@dataclasses.dataclass(frozen=True)
class Limit:
    """What a figure has to reach; either end may be open."""

    at_least: float = None
    at_most: float = None

    def __str__(self):
        if self.at_least is None:
            return f"<= {self.at_most:g}"
        if self.at_most is None:
            return f">= {self.at_least:g}"
        return f"{self.at_least:g} to {self.at_most:g}"

    def missed_by(self, values):
        """Whether even the better quartile of the values is beyond the limit."""
        low, _, high = quartiles(values)
        return (self.at_most is not None and low > self.at_most) or (self.at_least is not None and high < self.at_least)


@dataclasses.dataclass
class Row:
    """One line of the table. `values` are what the limit holds for, one for each pair; `notes` say what was measured
    on either side."""

    name: str
    text: str
    limit: Limit
    unit: str
    values: list
    notes: str = ""

    @property
    def failed(self):
        return self.limit.missed_by(self.values)

    def line(self):
        low, middle, high = quartiles(self.values)
        figures = f"{middle:8.3g} ({low:.3g} to {high:.3g})"
        verdict = "SHORT" if self.failed else "ok"
        return f"{verdict:6}{self.name:16}{figures:30}{str(self.limit):14}{self.unit:8}{self.text}: {self.notes}"


def spread(values):
    """How far the quartiles of the values are apart, as a share of the median."""
    low, middle, high = quartiles(values)
    return (high - low) / middle


def noise(floor_values, gain_of_two_threads):
    """Why this machine was too noisy to judge anything; empty when it was not."""
    reasons = []
    if len(floor_values) > 1 and spread(floor_values) > 0.10:
        reasons.append(f"the floor's own quartiles are {spread(floor_values):.0%} apart (10% at most)")
    if gain_of_two_threads is not None and gain_of_two_threads < 1.8:
        reasons.append(f"two threads of a plain loop do {gain_of_two_threads:.2f} times the work of one (1.8 at least)")
    return reasons
