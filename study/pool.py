"""EMPool: the baseline that a mixture deserves, many plain EMs mixed as HedgedLeader mixes experts.

Public to scenarios as ``study.pool:EMPool``.
"""

from __future__ import annotations

from itertools import product

import numba
import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import LARGEST, floats, whole
from spectralleader.documents import Documents
from spectralleader.em.start import make_start
from spectralleader.em.statistics import SMALLEST_SCALE, Statistics, with_words
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.models import TopicModel

# The 54 settings of Table 1: step power, concentration of the start, smoothing.
GRID = tuple(product((0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (1.0, 10.0, 100.0), (1e-4, 1e-3, 1e-2)))
STEP_OFFSET = 2.0  # the default of `StepwiseEM`
SAFE = 16.0  # words multiplied before a logarithm: each has a probability of some 1e-15 at least


class EMPool(LearnerBase):
    """A mixture of stepwise EMs of K topics: the settings of Table 1, weighted as by eq. 29-30.

    No spectral step, no remembered documents, no tracked priors: all that it has in common with
    `HedgedLeader` is the mixing. The statistics of all members are columns of one table, so that a
    document is read once. The model is the whole mixture, of K topics per member.

    Parameters
    ----------
    n_topics, n_words : int
        Topics of each member, K, and vocabulary size, d.
    seed : int
        Random seed of the starts, which differ between members.
    mini_batch : int
        Documents of an EM step, at most; a larger block is learned in parts.

    Examples
    --------
    >>> pool = EMPool(n_topics=2, n_words=2)
    >>> for _ in range(20):
    ...     pool.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> pool.model.n_topics
    108
    """

    saved = fields(
        LearnerBase.saved,
        mini_batch=field(whole, least=1),
        n_updates=whole,
        _scales=field(floats, shape=(len(GRID),), least=SMALLEST_SCALE, most=1.0),
        _stacked=field(
            Statistics,
            n_topics=lambda known: len(GRID) * known["n_topics"],
            most=LARGEST / SMALLEST_SCALE,  # each member's are smaller by its scale
        ),
        _mixing=field(Mixing, n_experts=len(GRID), n_competitors=len(GRID) + 1),
    )

    def __init__(self, n_topics: int, *, n_words: int, seed: int = 0, mini_batch: int = 10) -> None:
        super().__init__(n_topics, n_words, seed)
        self.mini_batch, self.n_updates = mini_batch, 0
        # Each its own: on 10,000 election tweets that is 0.04 nats better than three in all.
        starts = [
            make_start(wanted, n_topics, n_words, [seed, i])
            for i, (_, wanted, _) in enumerate(GRID)
        ]
        weights = np.concatenate([start.weights for start in starts])
        topics = np.concatenate([start.topics for start in starts])
        self._scales = np.ones(len(GRID))
        start = TopicModel.trusted(weights, topics)
        self._stacked = Statistics.one_document(start, 1.0)
        self._mixing = Mixing(len(GRID))
        self._model: TopicModel | None = None

    def _learn(self, documents: Documents) -> None:
        for part in with_words(documents).blocks(self.mini_batch):
            if part.n_docs:
                self._step(part)

    def _step(self, block: Documents) -> None:
        """Weigh the members by their predictions of a mini-batch, then let each learn it."""
        if self.n_updates == 0:  # the start counts as one document, of the mean length
            length = float(block.counts.sum()) / block.n_docs
            self._stacked.words[:] *= length
            self._stacked.totals[1] *= length
        weights, slope, offset = self._smoothed()
        posterior = np.empty((block.n_docs, weights.size))
        log_probs = np.empty((block.n_docs, len(GRID)))
        respond(
            block.indptr, block.words, block.counts, self._stacked.words, weights.ravel(),
            slope, offset, posterior, log_probs,
        )  # fmt: skip
        self._mixing.update(log_probs)
        steps = np.array([(self.n_updates + STEP_OFFSET) ** -power for power, _, _ in GRID])
        self._scales *= 1.0 - steps
        gain = np.repeat(steps / self._scales / block.n_docs, self.n_topics)
        self._stacked.add(block, posterior * gain)
        if self._scales.min() < SMALLEST_SCALE:  # a pass over the vocabulary, but a rare one
            factors = np.repeat(self._scales, self.n_topics)
            self._stacked.totals *= factors
            self._stacked.words[:] *= factors
            self._scales[:] = 1.0
        self.n_updates += 1
        self._model = None

    def _smoothed(self) -> tuple[Floats, Floats, Floats]:
        """Return the M-step: topic weights, (54, K), and slope and offset of word probabilities."""
        # Pseudo-counts in the unit of the table; the start itself is not smoothed.
        smoothing = np.array([s if self.n_updates else 0.0 for _, _, s in GRID]) / self._scales
        weights = self._stacked.totals[0].reshape(len(GRID), -1) + smoothing[:, None]
        pseudo = np.repeat(smoothing, self.n_topics)
        slope = 1.0 / (self._stacked.totals[1] + self.n_words * pseudo)
        return weights / weights.sum(axis=1, keepdims=True), slope, pseudo * slope

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self._stacked.recode(new_ids, n_words)
        self._model = None

    @property
    def model(self) -> TopicModel:
        """The mixture as one model, of 54 K topics."""
        if self._model is None:
            weights, slope, offset = self._smoothed()
            weights = (weights * self._mixing.shares[:, None]).ravel()
            topics = (self._stacked.words * slope + offset).T
            topics /= topics.sum(axis=1, keepdims=True)
            self._model = TopicModel.trusted(weights / weights.sum(), topics)
        return self._model


# Sums may be reordered, so that they fill vector registers, as in the library's kernels.
compiled = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}
)


@compiled
def respond(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    weights: Floats,
    slope: Floats,
    offset: Floats,
    posterior: Floats,
    log_probs: Floats,
) -> None:
    """E-step of all members: write P(topic | document) of each, and log P(document)."""
    n_members, n_columns = log_probs.shape[1], len(weights)
    n_topics = n_columns // n_members
    logs = np.empty(n_columns)
    for i in range(len(posterior)):
        row, n, is_long = posterior[i], 0.0, False
        row[:] = weights
        for j in range(indptr[i], indptr[i + 1]):
            counted, times = table[words[j]], counts[j]
            n += times
            if n > SAFE:  # move the product to the logarithms before it can underflow
                if not is_long:
                    logs[:] = 0.0
                is_long, n = True, times
                for c in range(n_columns):
                    logs[c] += np.log(row[c])
                    row[c] = 1.0
            if times > SAFE:
                for c in range(n_columns):
                    logs[c] += times * np.log(counted[c] * slope[c] + offset[c])
                n = 0.0
                continue
            for _ in range(int(times)):
                for c in range(n_columns):
                    row[c] *= counted[c] * slope[c] + offset[c]
        for m in range(n_members):
            own, largest = row[m * n_topics : (m + 1) * n_topics], 0.0
            if is_long:
                largest = -np.inf
                for k in range(n_topics):
                    own[k] = logs[m * n_topics + k] + np.log(own[k])
                    largest = max(largest, own[k])
                for k in range(n_topics):
                    own[k] = np.exp(own[k] - largest)
            total = 0.0
            for k in range(n_topics):
                total += own[k]
            log_probs[i, m] = largest + np.log(total)
            for k in range(n_topics):
                own[k] /= total
