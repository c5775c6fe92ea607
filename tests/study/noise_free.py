"""The noise-free leader of the paper's analysis, which observes P_t, not a document (section 6).

It runs the full spectral method at every step. Exact moments decompose exactly, so its model is the
mean of the remembered P_z. If all P_z share their topics, that is a mean of their weights, which
`running_means` and `reservoir_means` return for all steps at once.
"""

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import MAX_WORDS, Documents
from spectralleader.models import TopicModel
from spectralleader.samples import Everything, Reservoir
from spectralleader.spectral import estimate
from spectralleader.spectral.power import power_method, random_starts
from study.regret import Hindsight, prediction_excess
from tests.definitions import population_sums

N_RESTARTS = 10  # random starts of the power method


class NoiseFreeLeader:
    """Follow-the-leader on distributions: on all observed so far, or on a reservoir of them.

    The sample holds time indices, stored as one-word documents (word t for step t) so that the
    learners' own samples can be reused.

    Parameters
    ----------
    topics : (K, d) array
        The topics that all the distributions share.
    reservoir_size : int, optional
        Capacity of a uniform reservoir of distributions (the paper's m in Algorithm 1). If omitted,
        all are remembered.
    seed : int
        Random seed of the reservoir and of the power method's starts.
    """

    def __init__(self, topics: Floats, *, reservoir_size: int | None = None, seed: int = 0) -> None:
        self._topics = topics
        self._sample: Everything | Reservoir = Everything(n_words=MAX_WORDS)
        if reservoir_size is not None:
            self._sample = Reservoir(
                reservoir_size, n_words=MAX_WORDS, seed=seed, acceptance="uniform"
            )
        self._weights: dict[int, Floats] = {}  # of the P_z remembered, by z
        self._starts = random_starts(len(topics), N_RESTARTS, seed)

    def learn(self, distribution: TopicModel) -> None:
        """Learn P_t."""
        t = self._sample.n_seen
        change = self._sample.add(Documents.from_tokens([[t]], n_words=MAX_WORDS))
        for z in change.left.words:
            del self._weights[int(z)]
        for z in change.entered.words:
            self._weights[int(z)] = distribution.weights

    @property
    def mixture(self) -> TopicModel:
        """The mean of the remembered P_z; the uniform model M_0 before the first."""
        if not self._weights:
            return TopicModel.uniform(*self._topics.shape)
        return TopicModel(np.mean(list(self._weights.values()), axis=0), self._topics)

    @property
    def model(self) -> TopicModel:
        """The model that the spectral method estimates from the exact moments of `mixture`."""
        return decomposed(self.mixture, self._starts)


def decomposed(mixture: TopicModel, starts: Floats) -> TopicModel:
    """Return the result of Algorithm 1, lines 2-5, on a model's exact moments: the same model."""
    return estimate(population_sums(mixture), mixture.n_topics, power_method, starts).model


def reservoir_excess(hindsight: Hindsight, reservoir_size: int, seed: int = 0) -> Floats:
    """Return ||P_t - M_{t-1}||^2 of the noise-free leader with a reservoir (Theorem 2), one run."""
    return prediction_excess(hindsight, reservoir_means(hindsight.priors, reservoir_size, seed))


def reservoir_means(priors: Floats, reservoir_size: int, seed: int = 0) -> Floats:
    """Return the mean of the rows in a uniform reservoir after t rows, for every t.

    The random draws equal those of `Reservoir`: the first `reservoir_size` rows enter; a later row
    t enters with probability ``reservoir_size / t`` and replaces a random one.
    """
    t = np.arange(1, len(priors) + 1)
    draws = np.random.default_rng(seed).random((len(priors), 2))
    filling = t <= reservoir_size
    places = np.where(filling, t - 1, (draws[:, 1] * reservoir_size).astype(np.int64))
    entered = np.flatnonzero(filling | (draws[:, 0] * t <= reservoir_size))
    changes = np.zeros_like(priors)
    changes[entered] = priors[entered]
    # Rows that enter the same place one after the other: the later one replaces the earlier.
    by_place = entered[np.argsort(places[entered], kind="stable")]
    before, after = by_place[:-1], by_place[1:]
    replaces = places[before] == places[after]
    changes[after[replaces]] -= priors[before[replaces]]
    sums = np.maximum(np.cumsum(changes, axis=0), 0.0)  # rounding can leave -1e-16
    return np.asarray(sums / np.minimum(t, reservoir_size)[:, None])
