"""The arithmetic of scripts/bench, and how it ends."""

import sys

import pytest

from checkout import ROOT

sys.path.insert(0, str(ROOT / "tests" / "bench"))

from verdict import Limit, Row, noise, quartiles, spread  # noqa: E402: needs the path


def test_quartiles():
    assert quartiles([1, 2, 3, 4, 5, 6, 7]) == (2.5, 4, 5.5)
    assert quartiles([3]) == (3, 3, 3)
    assert quartiles([7, 1]) == (2.5, 4, 5.5)


def test_spread():
    assert spread([10, 10, 10, 10]) == 0
    assert spread([1, 2, 3, 4, 5, 6, 7]) == pytest.approx(0.75)


@pytest.mark.parametrize("values, missed", [([1.0, 1.1, 1.2], False), ([1.3, 1.3, 1.3], True), ([1.2, 1.3, 1.4], False)])
def test_at_most_fails_when_even_the_lower_quartile_is_over(values, missed):
    assert Limit(at_most=1.25).missed_by(values) == missed


@pytest.mark.parametrize("values, missed", [([1.0], False), ([0.9, 0.9, 0.94], True), ([0.9, 0.9, 0.99, 0.99], False)])
def test_at_least_fails_when_even_the_upper_quartile_is_under(values, missed):
    assert Limit(at_least=0.95).missed_by(values) == missed


def test_both_ends():
    limit = Limit(at_least=0.99, at_most=1.01)
    assert not limit.missed_by([1.0])
    assert limit.missed_by([0.98]) and limit.missed_by([1.02])
    assert str(limit) == "0.99 to 1.01"


def test_row_shows_figures_and_verdict():
    row = Row("cpu", "what", Limit(at_most=1.25), "x", [1.1, 1.2, 1.3], "floor us 10")
    assert row.line().startswith("ok ")
    assert "1.2 (1.15 to 1.25)" in row.line()
    assert Row("cpu", "what", Limit(at_most=1.0), "x", [1.1]).line().startswith("SHORT")


def test_noise():
    assert not noise([10, 10.1, 10.2, 10.3], 1.95)
    assert noise([10, 11, 12, 13], 1.95)
    assert noise([10, 10], 1.5)
    assert not noise([10], None)


def test_list_names_rows_and_wrong_rows_are_refused(run_script):
    done = run_script("bench", "--list")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names[0] == "cpu" and len(names) == len(set(names)) >= 12
