"""StepwiseEM: online EM with a shrinking step, the paper's baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks import is_number
from spectralleader.documents import Documents
from spectralleader.em.start import Start
from spectralleader.em.statistics import match
from spectralleader.learners.online_em import OnlineEM
from spectralleader.models import TopicModel
from spectralleader.models.matching import cosines

ALIKE = 0.5  # cosine that topics have on average, at least, to be averaged


class StepwiseEM(OnlineEM):
    """Online EM: a block's mean statistics are blended into the running ones.

    ``mu <- (1 - eta) mu + eta s'``, where s' are the mean expected statistics of the block,
    ``eta = (k + step_offset) ** -step_power`` and k counts the updates so far; the model is the
    M-step of mu (Cappé & Moulines 2009; Liang & Klein 2009). Memory does not grow, and a block
    costs its own words only. The optimum found is a local one: which one, and how fast, depends on
    the start, the step, the smoothing and the size of the blocks.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    step_power : float
        The paper's alpha, from 0.5 (forgets fast) to 1 (weighs all documents alike).
    seed : int
        Of the random start.
    start : float or TopicModel
        Concentration of random Dirichlet topics, or the model to start from. It counts as one
        document. Renaming words renames the model if a given start is renamed with them; a random
        start is renamed in distribution only.
    smoothing : float
        Pseudo-count of every word in every topic, and of every topic, beside the counts of a mean
        document. The default is the least that keeps all words possible; text likes more, 1e-3.
    step_offset : float
        At least 1. At 1 the first block replaces all that the start knew.

    Examples
    --------
    >>> learner = StepwiseEM(n_topics=2, n_words=2)
    >>> for _ in range(20):
    ...     learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(learner.model.weights.round(1).tolist())
    [0.3, 0.7]
    """

    parameters = (*OnlineEM.parameters, "step_power", "step_offset")

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        step_power: float = 0.7,
        seed: int = 0,
        start: Start = 10.0,
        smoothing: float = 1e-5,
        step_offset: float = 2.0,
    ) -> None:
        super().__init__(n_topics, n_words, seed, start, smoothing)
        if not is_number(step_power) or not 0.5 <= step_power <= 1.0:
            raise ValueError(f"step_power must be from 0.5 to 1, got {step_power!r}")
        if not is_number(step_offset) or not 1.0 <= step_offset < float("inf"):
            raise ValueError(f"step_offset must be a number of at least 1, got {step_offset!r}")
        self.step_power, self.step_offset = float(step_power), float(step_offset)

    @property
    def step_size(self) -> float:
        """The weight of the next block, eta."""
        return float((self.n_updates + self.step_offset) ** -self.step_power)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return self.n_updates == 0

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Average the statistics, topic by topic, weighted by the updates that each made.

        Topics are matched first. From different starts EM may have found different ones, and the
        average of these would be topics of neither: then it is refused.
        """
        merged, n_updates = self._statistics.copy(), self.n_updates
        for other in others:
            order = match(other._statistics, merged)
            _check_alike(other.model.topics[order], merged.maximise(self.smoothing))
            n_updates += other.n_updates
            merged.blend(other._statistics.reorder(order), other.n_updates / n_updates)
        self._statistics, self.n_updates, self._model = merged, n_updates, None

    def _update(self, block: Documents) -> None:
        if self.n_updates == 0:
            posterior = self.model.posterior(block)  # of the start itself, which is not smoothed
        else:
            posterior = self._statistics.posterior(block, self.smoothing)
        step = self.step_size
        self._statistics.decay(1.0 - step)
        self._statistics.add(block, posterior, step / block.n_docs)


def _check_alike(topics: Floats, wanted: TopicModel) -> None:
    """Raise unless topics, in the order of the others, are the same but for noise."""
    alike = float(wanted.weights @ cosines(topics, wanted.topics).diagonal())
    if alike < ALIKE:
        raise ValueError(
            f"these StepwiseEM found different topics (after matching their cosine is {alike:.2f} "
            f"on average, {ALIKE} is needed); start them from one model, or merge learners that "
            "remember documents"
        )
