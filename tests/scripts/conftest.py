"""The scripts of the project, run as their users run them."""

import signal
import subprocess

import pytest

from checkout import ROOT

# A shell starts background jobs with SIGINT ignored, which children would inherit; a handler becomes their default.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def run_script():
    """Runs scripts/NAME to its end and returns the finished process with its texts."""

    def run(name, *arguments, **options):
        command = [str(ROOT / "scripts" / name), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)

    return run
