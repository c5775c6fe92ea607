"""Rows of the bench: which runs there are, and what each found, kept in a file between runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

FOUND = Path("build/bench-scale.json")
OURS, LDA = ("dask", "spark"), ("spark-lda", "spark-lda-100")
# LDA looks at every document 20 or 100 times the sampling rate: at 10^7 it would take hours
MOST = {"spark-lda": 1_000_000, "spark-lda-100": 100_000}

Row = dict[str, Any]


class Setting(NamedTuple):
    """Who learns how many documents with how many workers."""

    engine: str
    n_docs: int
    n_workers: int

    def __str__(self) -> str:
        return "/".join(map(str, self))


def settings(documents: Iterable[int], workers: Iterable[int], only: str = "*") -> list[Setting]:
    """Return the runs whose name, such as spark/100000/2, has the pattern; small ones first."""
    workers = list(workers)
    made = [
        Setting(engine, n_docs, n_workers)
        for n_docs in documents
        for engine in (*OURS, *LDA)
        for n_workers in workers
        if n_docs <= MOST.get(engine, n_docs)
    ]
    return [one for one in made if fnmatch(str(one), only)]


def load(path: Path) -> dict[str, Row]:
    """Return what was found so far, by the run's name."""
    if not path.exists():
        return {}
    rows: dict[str, Row] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def save(rows: dict[str, Row], path: Path) -> None:
    """Replace the file at once: a run that is stopped leaves the last one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    os.replace(new, path)
