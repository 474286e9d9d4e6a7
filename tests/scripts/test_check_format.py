"""scripts/check_format in a small checkout of its own."""

import shutil
import subprocess

import pytest

from checkout import ROOT

TIDY = "int main() { return 0; }\n"
UNTIDY = "int  main( ){return 0 ;}\n"


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "scripts" / "check_format", tmp_path / "scripts")
    shutil.copy(ROOT / ".clang-format", tmp_path)
    return tmp_path


def check_format(checkout, *arguments):
    command = [checkout / "scripts" / "check_format", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).returncode


def test_tells_tidy_from_untidy_and_puts_right(checkout):
    source = checkout / "src" / "main.cpp"
    source.write_text(TIDY)
    assert check_format(checkout) == 0
    source.write_text(UNTIDY)
    assert check_format(checkout) != 0
    assert check_format(checkout, "--fix") == 0
    assert source.read_text() == TIDY
    assert check_format(checkout) == 0
