"""Where the project's files are."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
