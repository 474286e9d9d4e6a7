"""The protocol of worker-ID leases, checked exhaustively within the bounds given here.

Three worlds hold: instances without state files, with them, and with a memory that is copied. Each broken rule is
found in one of them with the very same bounds, and each event that makes the promise worth something can happen.
"""

import re

import pytest

from verifier import MODEL, World, verify

WORLDS = {
    "memory": World(ticks=4, writes=4),
    "copies": World(("COPIES",), ticks=4, writes=3),
    "files": World(("FILES",), ticks=4, writes=3),
}

LARGE_WORLDS = {
    "memory": World(ticks=5, writes=6),
    "copies": World(("COPIES",), ticks=4, writes=5),
    "files-writes": World(("FILES",), ticks=4, writes=4),
    "files-crashes": World(("FILES",), ticks=4, writes=3, crashes=2),
}

MUTATIONS = {
    "NO_COMPARE_AND_SET": "memory",
    "VERSION_READ": "memory",  # invariant 1
    "NO_FLOOR": "memory",  # invariant 2
    "FENCE_ATTEMPTED": "memory",  # invariant 2
    "BEAT_LOWERS_FENCE": "memory",  # invariant 3
    "TAKE_LOWERS_FENCE": "memory",  # invariant 3
    "RESUME_LOWERS_FENCE": "files",  # invariant 3
    "RELEASE_TO_ZERO": "memory",  # invariant 3
    "UNKNOWN_IS_DONE": "memory",  # invariant 4
    "OWNER_IS_PROOF": "copies",  # invariant 4
    "BEYOND_WATERMARK": "files",  # invariant 5
    "RELEASE_ORDER": "files",  # invariant 5
    "OFFLINE_WHEN_RELEASED": "files",
    "RESUME_WITHOUT_COMPARE_AND_SET": "files",
    "RESUME_FOREIGN_RECORD": "files",
    "CLONED_STATE_FILE": "files",
    "FILE_GIVEN_UP_IN_PLACE": "files",
    "CLOSE_NOT_ATOMIC": "memory",  # invariant 6
}

PROBES = {
    "BOTH_ISSUE": "memory",
    "TAKE_AFTER_RELEASE": "memory",
    "LATE_WRITE_LANDS": "memory",
    "LOST_ANSWER_FOUND": "memory",
    "COPY_GOES_ON": "copies",
    "TAKE_AFTER_CRASH": "files",
    "RESUME": "files",
    "RESUME_AFTER_LATE_BEAT": "files",
    "OFFLINE": "files",
}

# The promise, as spin prints it: the bit of the tick that is issued was not set.
PROMISE = "!((issued&(1<<"


def assert_holds(verdict):
    assert verdict.errors == 0, f"{verdict.violation}\n{verdict.history[-8000:]}"
    assert verdict.complete, verdict.text
    assert verdict.unreached == [], "steps that no run takes"


@pytest.mark.parametrize("name", ["files", "memory", "copies"])
def test_no_tick_is_issued_twice(name, tmp_path):
    assert_holds(verify(WORLDS[name], tmp_path, optimised=True))


@pytest.mark.parametrize(("mutation", "name"), MUTATIONS.items())
def test_a_broken_rule_is_found(mutation, name, tmp_path):
    verdict = verify(WORLDS[name].but(f"MUTATE_{mutation}"), tmp_path)
    assert verdict.errors > 0
    assert verdict.violation.startswith(PROMISE)


@pytest.mark.parametrize(("probe", "name"), PROBES.items())
def test_what_matters_can_happen(probe, name, tmp_path):
    verdict = verify(WORLDS[name].but(f"PROBE_{probe}"), tmp_path)
    assert verdict.errors > 0
    assert not verdict.violation.startswith(PROMISE)


def test_a_search_cut_short_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr("verifier.DEPTH", 100)
    verdict = verify(WORLDS["memory"], tmp_path)
    assert not verdict.complete


def test_all_that_the_model_can_be_asked_is_asked():
    text = MODEL.read_text(encoding="utf-8")
    assert set(re.findall(r"\bMUTATE_([A-Z_]+)\b", text)) == set(MUTATIONS)
    assert set(re.findall(r"\bPROBE_([A-Z_]+)\b", text)) == set(PROBES)


@pytest.mark.large
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", LARGE_WORLDS)
def test_no_tick_is_issued_twice_within_larger_bounds(name, tmp_path, pytestconfig):
    if not pytestconfig.getoption("--large"):
        pytest.skip("only with --large")
    assert_holds(verify(LARGE_WORLDS[name], tmp_path, optimised=True, memory_mb=16_000, timeout=3500))
