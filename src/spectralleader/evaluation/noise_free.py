"""Noise-free learners: the paper's analysis hands them P_t instead of a document (section 6).

`NoiseFreeLeader` goes the whole spectral road, one step at a time. The decomposition of exact
moments is exact, so that its model is the mean of the remembered P_z; where all P_z have the same
topics that is a mean of their weights, and `running_means` and `reservoir_means` give it for all
steps at once. The tests hold the two together.
"""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import MAX_WORDS, Documents
from spectralleader.models import TopicModel
from spectralleader.moments import population_sums
from spectralleader.samples import Everything, Reservoir
from spectralleader.spectral import estimate
from spectralleader.spectral.power import power_method, random_starts

N_RESTARTS = 10  # of the power method


class NoiseFreeLeader:
    """Follows the leader on distributions: all that it was handed, or a reservoir of them.

    The sample is of time indices. It is a sample of documents like any learner's, the one of step
    t being the single word t.

    Parameters
    ----------
    topics : (K, d) array
        The topics that all the distributions share.
    reservoir_size : int, optional
        Distributions remembered (the paper's m in Algorithm 1), uniformly; all if not given.
    seed : int
        Of the reservoir and of the power method's starts.

    Examples
    --------
    >>> truth = TopicModel([0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]])
    >>> leader = NoiseFreeLeader(truth.topics)
    >>> leader.learn(truth)
    >>> truth.distance(leader.model) < 1e-15
    True
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
        """The mean of the remembered P_z; before the first one the uniform model, M_0."""
        if not self._weights:
            return TopicModel.uniform(*self._topics.shape)
        return TopicModel(np.mean(list(self._weights.values()), axis=0), self._topics)

    @property
    def model(self) -> TopicModel:
        """The model that the spectral method makes of the mixture's moments."""
        return decomposed(self.mixture, self._starts)


def decomposed(mixture: TopicModel, starts: Floats) -> TopicModel:
    """Return what lines 2 to 5 of Algorithm 1 make of a model's exact moments: the model again."""
    return estimate(population_sums(mixture), mixture.n_topics, power_method, starts).model


def running_means(priors: Floats) -> Floats:
    """Return the mean of the first t rows for every t: what is known if all is remembered."""
    return np.asarray(np.cumsum(priors, axis=0) / np.arange(1, len(priors) + 1)[:, None])


def reservoir_means(priors: Floats, reservoir_size: int, seed: int = 0) -> Floats:
    """Return for every t the mean of the rows that a uniform reservoir remembers of the first t.

    The draws are those of `Reservoir`: the first `reservoir_size` rows enter, row t after them with
    probability ``reservoir_size / t``, in a random place.
    """
    t = np.arange(1, len(priors) + 1)
    draws = np.random.default_rng(seed).random((len(priors), 2))
    filling = t <= reservoir_size
    places = np.where(filling, t - 1, (draws[:, 1] * reservoir_size).astype(np.int64))
    entered = np.flatnonzero(filling | (draws[:, 0] * t <= reservoir_size))
    changes = np.zeros_like(priors)
    changes[entered] = priors[entered]
    by_place = entered[np.argsort(places[entered], kind="stable")]
    before, after = by_place[:-1], by_place[1:]
    replaces = places[before] == places[after]
    changes[after[replaces]] -= priors[before[replaces]]
    sums = np.maximum(np.cumsum(changes, axis=0), 0.0)  # subtraction may leave -1e-16
    return np.asarray(sums / np.minimum(t, reservoir_size)[:, None])
