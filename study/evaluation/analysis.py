"""The paper's analysis, measured: rows of regret and of the bounds on it."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.learners import SpectralLeader
from spectralleader.samples import Everything, Reservoir
from study.evaluation import bounds
from study.evaluation.regret import (
    Hindsight,
    expected_reservoir_excess,
    leader_excess,
    learner_excess,
    reservoir_excess,
)
from study.sources.synthetic import REGRET_PROBLEMS, Problem

# Avoidable losses of a learner, given the problem, its hindsight, the reservoir size and a seed.
Excess = Callable[[Problem, Hindsight, int | None, int], Floats]


def _noise_free(problem: Problem, hindsight: Hindsight, size: int | None, seed: int) -> Floats:
    if size is None:
        return leader_excess(hindsight)
    return expected_reservoir_excess(hindsight, size)


def _one_reservoir(problem: Problem, hindsight: Hindsight, size: int | None, seed: int) -> Floats:
    return reservoir_excess(hindsight, size or len(hindsight), seed)


def _noisy(problem: Problem, hindsight: Hindsight, size: int | None, seed: int) -> Floats:
    K, d = hindsight.topics.shape
    sample = (
        Everything(n_words=d)
        if size is None
        else Reservoir(size, n_words=d, seed=seed, acceptance="uniform")
    )
    learner = SpectralLeader(K, n_words=d, seed=seed, sample=sample)
    stream = problem.blocks(block_size=1, n_steps=len(hindsight), seed=seed)
    return learner_excess(hindsight, learner, (block.documents for block in stream))


REGRET_LEARNERS: dict[str, Excess] = {
    "noise-free": _noise_free,  # Theorem 1; with a reservoir, the expectation of Theorem 2
    "noise-free, one draw": _one_reservoir,  # one realisation of the reservoir
    "SpectralLeader": _noisy,  # section 6.3
}


def regret_rows(
    problem: str,
    learner: str,
    *,
    n_steps: int,
    epsilon: float | None = None,
    seed: int = 0,
    n_rows: int = 60,
) -> list[tuple[int, dict[str, float]]]:
    """Return steps spaced evenly in log n, each with a learner's regret and the bounds on it.

    Parameters
    ----------
    problem, learner : str
        Names in REGRET_PROBLEMS and in REGRET_LEARNERS.
    n_steps : int
        Length of the stream, n.
    epsilon : float, optional
        Precision from which Theorem 2 derives the reservoir size. If omitted, everything is
        remembered.
    seed : int
        Random seed of the reservoir and of the documents, where these are drawn.
    n_rows : int
        Maximum number of rows; 1 returns the last step only.

    Examples
    --------
    >>> [(step, last)] = regret_rows("switching", "noise-free", n_steps=1000, n_rows=1)
    >>> step, round(last["regret"], 3), round(last["bound_repaired"], 1)
    (1000, 0.817, 164.4)
    """
    _check_name("problem", problem, REGRET_PROBLEMS)
    _check_name("learner", learner, REGRET_LEARNERS)
    drawn = REGRET_PROBLEMS[problem]()
    hindsight = Hindsight.of(drawn, n_steps)
    d = drawn.truth.n_words
    size = None if epsilon is None else bounds.reservoir_size(d, n_steps, epsilon)
    regret = hindsight.regret(REGRET_LEARNERS[learner](drawn, hindsight, size, seed))

    def row(n: int) -> dict[str, float]:
        values = {
            "regret": float(regret[n - 1]),
            "regret_per_step": float(regret[n - 1]) / n,
            "bound_printed": float(bounds.theorem1(d, n)),
            "bound_repaired": float(bounds.repaired(d, n)),
            "bound_sharp": float(bounds.sharp(n, size)),
        }
        if size is None or epsilon is None:
            return values
        bound = float(bounds.theorem2(d, n, epsilon))
        return {**values, "reservoir_size": size, "bound_theorem2": bound}

    return [(n, row(n)) for n in log_steps(n_steps, n_rows).tolist()]


def _check_name(kind: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise ValueError(f"{kind} must be one of {list(known)}, got {name!r}")


def log_steps(n_steps: int, n_rows: int) -> Ints:
    """Return at most n_rows steps from 1 to n_steps, evenly spaced in log n, including the last."""
    if n_rows < 2:
        return np.array([n_steps])
    return np.unique(np.rint(np.geomspace(1, n_steps, n_rows)).astype(np.int64))
