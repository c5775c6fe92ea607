"""The interface of a kind of experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from study.rows import Contender


class Setting(NamedTuple):
    """Everything that a run depends on, besides its learner and seed."""

    stream: dict[str, Any]
    block_size: int
    n_steps: int
    metrics: tuple[str, ...]
    max_rows: int


Step = tuple[int, dict[str, float]]  # a step and its metrics


class Kind(NamedTuple):
    """One kind of experiment."""

    learners: Mapping[str, frozenset[str]]  # names, and the parameters of each
    metrics: tuple[str, ...]
    kept: Callable[[Setting], list[int]]  # the steps that get a row
    run: Callable[[Contender, Setting, int, Path | None], Iterable[Step]]  # for one seed
    check: Callable[[Contender, Setting], object]  # raises the errors that `run` would raise
    # Parameters of a learner that is not built in, by name; None: built-in learners only.
    own_learner: Callable[[str], frozenset[str]] | None = None
