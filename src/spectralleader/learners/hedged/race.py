"""Racing starts: several estimates are polished on remembered documents, and the likeliest win."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.polish import polish, sweep
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedSums
from spectralleader.spectral import estimate
from spectralleader.spectral.basis import find_basis
from spectralleader.spectral.power import power_method, random_starts

SCALINGS = (0.0, 0.25, 0.5)  # of words, for the spectral starts
ROUGHLY = 1e-3  # accuracy of their basis: a start is swept and polished
N_RANDOM = 3  # random starts in a race
SEEDS = 10  # documents that each topic of a random start is made of
N_KEPT = 4  # estimates that survive a race
N_SWEEPS, N_PASSES = 2, 2  # before an estimate is judged

Pause = Callable[[], None]


def no_pause() -> None:
    """Go on."""


def race(
    documents: Documents,
    n_topics: int,
    incumbents: list[Statistics],
    background: Floats,
    strength: float,
    seed: list[int],
    pause: Pause = no_pause,
) -> list[Statistics]:
    """Return the likeliest estimates of the documents' topics, best first.

    New starts, from the spectral method at each scaling and at random, run against the incumbents.
    The global optimum is guaranteed for documents that follow the model; real text does not, and
    there a random start sometimes ends higher.

    Parameters
    ----------
    documents : Documents
        In random order, at least one.
    n_topics : int
        K.
    incumbents : list of Statistics
        Survivors of earlier races.
    background : (d,) array
        Word distribution that topics are smoothed with.
    strength : float
        How many words of it each topic has.
    seed : list of int
        Of the random starts.
    pause : callable, optional
        Called often enough to be left by an exception: with many topics a start takes seconds.
    """
    finished = [polish(documents, old, background, strength, N_PASSES) for old in incumbents]
    for start in starts(documents, n_topics, seed, pause):
        pause()
        swept = sweep(documents, start, background, strength, N_SWEEPS)
        finished.append(polish(documents, swept, background, strength, N_PASSES))
    # stable, so that an incumbent is not replaced by its equal
    finished.sort(key=lambda found: -found[1])
    return [statistics for statistics, _ in finished[:N_KEPT]]


def starts(
    documents: Documents, n_topics: int, seed: list[int], pause: Pause = no_pause
) -> Iterator[Statistics]:
    """Yield the spectral estimates, one a scaling, and random ones."""
    for scaling in SCALINGS:
        yield as_statistics(spectral(documents, n_topics, scaling, seed[0], pause), documents)
    rng = np.random.default_rng(seed)
    for _ in range(N_RANDOM):
        yield random(documents, n_topics, rng)


def spectral(
    documents: Documents, n_topics: int, scaling: float, seed: int, pause: Pause = no_pause
) -> TopicModel:
    """Return the spectral estimate with scaled words."""
    sums = ProjectedSums(find_basis(documents, n_topics, seed, scaling, ROUGHLY))
    sums.update(documents)
    restarts = random_starts(n_topics, 10, seed)
    decompose = partial(power_method, between=pause)
    return estimate(sums.sums, n_topics, decompose, restarts).model


def random(documents: Documents, n_topics: int, rng: np.random.Generator) -> Statistics:
    """Return topics of a few random documents each: no word is preferred by its number."""
    chosen = rng.integers(documents.n_docs, size=(n_topics, SEEDS))
    statistics = Statistics.zero(n_topics, documents.n_words)
    posterior = np.repeat(np.eye(n_topics), SEEDS, axis=0)
    statistics.add(documents.take(chosen.ravel()), posterior)
    return statistics


def as_statistics(model: TopicModel, documents: Documents) -> Statistics:
    """Return what the documents would add up to if the model were true."""
    statistics = Statistics.one_document(model, float(documents.lengths.mean()))
    n = documents.n_docs
    return Statistics(n * statistics.totals, n * statistics.words)
