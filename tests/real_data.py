"""Real text for tests, where it is: the folder in SPECTRALLEADER_DATA, or beside the checkout."""

from __future__ import annotations

import csv
import gzip
import os
from itertools import islice
from pathlib import Path

import pytest

VARIABLE = "SPECTRALLEADER_DATA"
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def real_file(name: str) -> Path:
    """Return the path of a data file, or skip the test."""
    path = Path(os.environ.get(VARIABLE, BESIDE)) / name
    if not path.is_file():
        pytest.skip(f"{name} is not here; say in {VARIABLE} which folder it is in")
    return path


def real_texts(name: str, n_docs: int) -> list[str]:
    """Return the first texts of a data file, or skip the test."""
    with gzip.open(real_file(name), "rt", encoding="utf-8", newline="") as file:
        return [row["text"] for row in islice(csv.DictReader(file), n_docs)]
