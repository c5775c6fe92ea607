"""VarianceReducedEM: stepwise EM with a constant step, by passes over remembered documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole, is_number
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import (
    LARGEST,
    check_same,
    distributions,
    generator,
    take,
    whole,
)
from spectralleader.documents import Documents
from spectralleader.em.start import Start
from spectralleader.em.statistics import Statistics
from spectralleader.learners.protocol import MAX_REVISITS
from spectralleader.learners.stepwise_em import OnlineEM
from spectralleader.models import TopicModel
from spectralleader.samples import Reservoir

DIFFERENCES = field(Statistics, least=-LARGEST)  # of statistics, which may be negative
MINI_BATCH = 30  # documents drawn for one step, at most: a large block makes many steps


@dataclass(frozen=True)
class Anchor(Saved):
    """The documents of an epoch, and what they add up to under the model at its beginning."""

    saved = fields(
        documents=Documents,
        posterior=field(
            distributions, shape=lambda known: (known["documents"].n_docs, known["n_topics"])
        ),
        statistics=Statistics,
    )
    documents: Documents
    posterior: Floats  # (n_docs, K)
    statistics: Statistics  # mean over the documents and the start

    @classmethod
    def make(cls, documents: Documents, model: TopicModel, start: Statistics) -> Anchor:
        """Return the anchor of documents at a model; the start counts as one more document."""
        posterior = model.posterior(documents)
        statistics = start.copy()
        statistics.add(documents, posterior)
        statistics.decay(1.0 / (documents.n_docs + 1))
        return cls(documents, posterior, statistics)

    def recode(self, new_ids: Ints | None, n_words: int) -> Anchor:
        """Return the anchor with its words renumbered."""
        statistics = self.statistics.copy()
        statistics.recode(new_ids, n_words)
        documents = self.documents.renumber(new_ids, n_words)
        return replace(self, documents=documents, statistics=statistics)

    def _loaded(self) -> None:
        check_same("n_words of the anchor", self.documents.n_words, self.statistics.n_words)
        if self.documents.n_docs == 0:
            raise ValueError("an anchor must have documents")


class VarianceReducedEM(OnlineEM):
    """Stepwise EM whose noise is taken out, so that its step need not shrink (Chen et al. 2018).

    An epoch begins with an anchor: the mean statistics S_a of all remembered documents under the
    model theta_a of that moment. Then documents i are drawn from among them, and with s_i the mean
    statistics of those drawn,

    ``mu <- (1 - step_size) mu + step_size (s_i(theta) - s_i(theta_a) + S_a)``.

    The difference is small near the anchor, which is what lets the step stay large. It ends when
    as many documents have been drawn as were anchored. So this is not a learner of one pass: it
    remembers up to `reservoir_size` documents, twice over, goes through them again and again, and a
    new document teaches from the next anchor on.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered.
    seed : int
        Of the reservoir, of the documents drawn, and of a random start.
    start, smoothing
        As in `StepwiseEM`. The start is remembered as one more document.
    step_size : float
        Above 0 and at most 1.
    n_revisits : int
        Documents drawn for each one learned.

    Examples
    --------
    >>> learner = VarianceReducedEM(n_topics=2, n_words=2)
    >>> for _ in range(50):
    ...     learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(learner.model.weights.round(1).tolist())
    [0.3, 0.7]
    """

    saved = fields(
        OnlineEM.saved,
        _statistics=DIFFERENCES,
        step_size=take,
        n_revisits=take,
        sample=Reservoir,
        _rng=generator,
        _start=Statistics,
        _anchor=field(Anchor, optional=True),
        _n_left=field(whole, least=-MINI_BATCH),
    )

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
        start: Start = 10.0,
        smoothing: float = 1e-5,
        step_size: float = 0.1,
        n_revisits: int = 3,
    ) -> None:
        super().__init__(n_topics, n_words, seed, start, smoothing)
        if not is_number(step_size) or not 0.0 < step_size <= 1.0:
            raise ValueError(f"step_size must be above 0 and at most 1, got {step_size!r}")
        self.step_size = float(step_size)
        self.n_revisits = check_whole("n_revisits", n_revisits, 1, MAX_REVISITS)
        self.sample = Reservoir(reservoir_size, n_words=self.n_words, seed=seed)
        self._rng = np.random.default_rng([seed, 1])  # not the reservoir's draws over again
        self._start = self._statistics
        self._anchor: Anchor | None = None
        self._n_left = 0  # documents still to be drawn in this epoch

    def _update(self, block: Documents) -> None:
        if self.n_updates == 0:
            self._start = self._statistics.copy()
        self.sample.add(block)
        n_due = self.n_revisits * block.n_docs
        for first in range(0, n_due, MINI_BATCH):
            self._step(min(MINI_BATCH, n_due - first))

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self.sample.recode(new_ids, n_words)
        if self.n_updates == 0:
            self._start = self._statistics
        else:
            self._start = self._start.copy()
            self._start.recode(new_ids, n_words)
        if self._anchor is not None:
            self._anchor = self._anchor.recode(new_ids, n_words)

    def _step(self, n_docs: int) -> None:
        """Draw documents of the epoch and move the statistics."""
        # through the model: differences can make statistics negative, which the M-step mends
        model = self._statistics.maximise(self.smoothing)
        if self._anchor is None or self._n_left <= 0:
            self._anchor = Anchor.make(self.sample.documents, model, self._start)
            self._n_left = len(self.sample)
        anchor, n_anchored = self._anchor, self._anchor.documents.n_docs
        drawn = self._rng.integers(n_anchored, size=n_docs)
        documents = anchor.documents[drawn]
        change = model.posterior(documents) - anchor.posterior[drawn]
        self._statistics.blend(anchor.statistics, self.step_size)
        gain = self.step_size * n_anchored / (n_anchored + 1)  # the start's share does not change
        self._statistics.add(documents, change, gain / n_docs)
        self._n_left -= n_docs

    def _loaded(self) -> None:
        super()._loaded()
        check_same("n_words of the sample", self.sample.n_words, self.n_words)
