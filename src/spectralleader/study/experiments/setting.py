"""What a kind of experiment is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader.study.rows import Contender


class Setting(NamedTuple):
    """All that a run depends on, beside its learner and seed."""

    stream: dict[str, Any]
    block_size: int
    n_steps: int
    metrics: tuple[str, ...]
    max_rows: int


Step = tuple[int, dict[str, float]]  # a step and its metrics


class Kind(NamedTuple):
    """One kind of experiment."""

    learners: Mapping[str, frozenset[str]]  # the parameters that each may be given
    metrics: tuple[str, ...]
    kept: Callable[[Setting], list[int]]  # the steps that get a row
    run: Callable[[Contender, Setting, int, Path | None], Iterable[Step]]  # of a seed, those steps
    check: Callable[[Contender, Setting], object]  # raises for what `run` would refuse
    # the parameters of a learner that is not built in, by its name; None: only those listed
    own_learner: Callable[[str], frozenset[str]] | None = None
