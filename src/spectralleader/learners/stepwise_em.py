"""StepwiseEM: online EM with a shrinking step, the paper's baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import is_number
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import take, whole
from spectralleader.documents import Documents
from spectralleader.em.start import (
    Start,
    check_concentration,
    check_smoothing,
    check_start,
    make_start,
    n_known_words,
    recode_start,
)
from spectralleader.em.statistics import Statistics, match, with_words
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.models import TopicModel
from spectralleader.models.matching import cosines
from spectralleader.runtime.locks import locked


def read_concentration(state: Any, name: str) -> float:
    """Return the stored concentration of random topics; infinite for a given start."""
    found = take(state, name)
    return np.inf if found == np.inf else check_concentration(found)


class OnlineEM(LearnerBase):
    """A start, running statistics, and the model that the M-step reads off them.

    A subclass says how a block changes the statistics (`_update`).

    A word that is new after the first update has not occurred: it has the smoothing's pseudo-count.
    One that is new before is drawn into the start.
    """

    saved = fields(
        LearnerBase.saved,
        smoothing=take,  # checked by the constructor, like all numbers of the subclasses
        n_updates=whole,
        _concentration=read_concentration,
        _statistics=Statistics,
        _unlearned=field(TopicModel, optional=True),
    )

    def __init__(
        self, n_topics: int, n_words: int | None, seed: int, start: Start, smoothing: float
    ) -> None:
        super().__init__(n_topics, n_words, seed, n_known_words(start))
        self.smoothing = check_smoothing(smoothing)
        self.n_updates = 0
        self._concentration = np.inf if isinstance(start, TopicModel) else float(start)
        start = make_start(start, n_topics, self.n_words, seed)
        self._unlearned: TopicModel | None = start  # as long as nothing was learned
        self._statistics = Statistics.one_document(start, 1.0)
        self._model: TopicModel | None = None  # read off the statistics

    def _update(self, block: Documents) -> None:
        """Take a block of documents, all of which have words, into the statistics."""
        raise NotImplementedError

    def _learn(self, documents: Documents) -> None:
        block = with_words(documents)
        if block.n_docs == 0:
            return
        if self._unlearned is not None:  # how long a document is, is known only now
            length = float(block.counts.sum()) / block.n_docs
            self._statistics = Statistics.one_document(self._unlearned, length)
        self._update(block)
        self.n_updates += 1
        self._unlearned = self._model = None

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        if (start := self._unlearned) is not None:
            seed = [self.seed, self.n_words, n_words]
            start = recode_start(start, new_ids, n_words, self._concentration, seed)
            self._unlearned, self._statistics = start, Statistics.one_document(start, 1.0)
        else:
            self._model = None
            self._statistics.recode(new_ids, n_words)
        super()._recode(new_ids, n_words)

    def _loaded(self) -> None:
        start = self._unlearned
        if (start is not None) != (self.n_updates == 0):
            raise ValueError("there must be a start if, and only if, nothing was learned")
        if start is not None:
            check_start(start, self.n_topics, self.n_words)

    @property
    def _pseudo_count(self) -> float:
        """The smoothing, in the unit of the statistics."""
        return self.smoothing

    @property
    def model(self) -> TopicModel:
        """The M-step of the statistics; before the first document, the start."""
        if self._unlearned is not None:
            return self._unlearned
        if self._model is None:
            self._model = self._statistics.maximise(self._pseudo_count)
        return self._model


ALIKE = 0.5  # cosine that topics have on average, at least, to be averaged


class StepwiseEM(OnlineEM):
    """Online EM with a decreasing step size, the paper's baseline.

    A block's mean statistics are blended into the running ones:

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

    Notes
    -----
    Memory: 16 K d.

    Merging: topics are matched, and statistics averaged by the number of updates. Topics that do
    not correspond are rejected: start the shards from the same model.

    Examples
    --------
    >>> learner = StepwiseEM(n_topics=2, n_words=2)
    >>> for _ in range(20):
    ...     learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(learner.model.weights.round(1).tolist())
    [0.3, 0.7]
    """

    saved = fields(OnlineEM.saved, step_power=take, step_offset=take)

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
    @locked
    def step_size(self) -> float:
        """The weight of the next block, eta."""
        return float((self.n_updates + self.step_offset) ** -self.step_power)

    @property
    @locked
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return self.n_updates == 0

    @locked
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
