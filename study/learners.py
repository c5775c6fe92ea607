"""Learners that only the study compares with, both of which remember documents and revisit them.

They are public to scenarios as ``study.learners:IncrementalEM`` and
``study.learners:VarianceReducedEM``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
from spectralleader.runtime.locks import locked
from spectralleader.samples import Reservoir, Sample, read_sample

MINI_BATCH = 30  # documents drawn for one step, at most: a large block makes many steps


class Revisiting(OnlineEM):
    """Online EM with a sample of documents."""

    saved = fields(
        OnlineEM.saved,
        n_revisits=take,
        sample=field(read_sample, n_words=lambda known: known["n_words"]),
    )
    sample: Sample
    n_revisits: int  # remembered documents revisited for each one learned

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self.sample.recode(new_ids, n_words)


class IncrementalEM(Revisiting):
    """EM that improves one document's posterior at a time (Neal & Hinton 1998).

    The statistics are those of the remembered documents under the posterior that each had when it
    was last visited. A document that enters adds its own, one that leaves takes them out, and with
    every block the next remembered documents in turn are revisited: none of these revisits lowers
    the free energy. Memory is bounded by the sample: it grows until that is full.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered.
    seed : int
        Of the reservoir and of a random start.
    sample : Sample, optional
        Which documents to remember, instead of a reservoir: `Window`, `Everything`.
    start, smoothing
        As in `StepwiseEM`. The start stays in the statistics, as one more document.
    n_revisits : int
        Remembered documents revisited for each one learned.

    Examples
    --------
    >>> learner = IncrementalEM(n_topics=2, n_words=2)
    >>> for _ in range(20):
    ...     learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(learner.model.weights.round(1).tolist())
    [0.3, 0.7]
    """

    saved = fields(
        Revisiting.saved,
        _posterior=field(
            distributions, shape=lambda known: (len(known["sample"]), known["n_topics"])
        ),
        _next=field(whole, most=lambda known: len(known["sample"])),
    )

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
        sample: Sample | None = None,
        start: Start = 10.0,
        smoothing: float = 1e-5,
        n_revisits: int = 3,
    ) -> None:
        super().__init__(n_topics, n_words, seed, start, smoothing)
        self.n_revisits = check_whole("n_revisits", n_revisits, 0, MAX_REVISITS)
        reservoir = Reservoir(reservoir_size, n_words=self.n_words, seed=seed)
        self.sample = reservoir if sample is None else sample
        self._posterior = np.zeros((0, n_topics))  # of the document in each slot
        self._next = 0  # slot to revisit next

    @property
    def _pseudo_count(self) -> float:
        # The statistics are sums over the documents and the start; without the start, the first
        # document would make all topics equal for good.
        return self.smoothing * (1 + len(self.sample))

    def _update(self, block: Documents) -> None:
        n_before = len(self.sample)
        change = self.sample.add(block)
        # Slots from n_before on were empty: nothing has to be taken out for them.
        replaced = change.slots[change.slots < n_before]
        self._statistics.add(change.left, self._posterior[replaced], -1.0, least=0.0)
        more = np.zeros((len(self.sample) - n_before, self.n_topics))
        self._posterior = np.concatenate([self._posterior, more])
        self._posterior[change.slots] = 0.0
        self._visit(change.entered, change.slots)
        self.revisit(self.n_revisits * block.n_docs)

    @locked
    def revisit(self, n_docs: int) -> None:
        """Go on to the next remembered documents: E-step for each of them, then one M-step."""
        n_docs = min(n_docs, len(self.sample))
        if n_docs == 0:
            return
        slots = (self._next + np.arange(n_docs)) % len(self.sample)
        self._visit(self.sample.documents[slots], slots)
        self._next = int(slots[-1]) + 1

    def _visit(self, documents: Documents, slots: Ints) -> None:
        """Replace the posteriors of the documents in these slots, in the statistics too."""
        posterior = self._statistics.posterior(documents, self._pseudo_count)
        self._statistics.add(documents, posterior - self._posterior[slots], least=0.0)
        self._posterior[slots] = posterior
        self._model = None


@dataclass(frozen=True)
class Anchor(Saved):
    """The documents of an epoch, and the model at its beginning."""

    saved = fields(documents=Documents, model=TopicModel)
    documents: Documents
    model: TopicModel
    start: Statistics  # counts as one more document

    def _loaded(self) -> None:
        for what in (self.documents, self.model):
            check_same("n_words of the anchor", what.n_words, self.start.n_words)
        check_same("n_topics of the anchor", self.model.n_topics, self.start.totals.shape[1])

    @cached_property
    def posterior(self) -> Floats:
        """The topic posteriors of the documents under the model, (n_docs, K)."""
        return self.model.posterior(self.documents)

    @cached_property
    def statistics(self) -> Statistics:
        """The mean statistics of the documents and the start."""
        statistics = self.start.copy()
        statistics.add(self.documents, self.posterior)
        statistics.decay(1.0 / (self.documents.n_docs + 1))
        return statistics


class VarianceReducedEM(Revisiting):
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
        Revisiting.saved,
        _statistics=field(Statistics, least=-LARGEST),  # differences
        step_size=take,
        _rng=generator,
        _start=Statistics,
        _anchor=field(Anchor, optional=True, start=lambda known: known["_start"]),
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
        # Before the first update, the start is drawn again with the words.
        self._start = (self._statistics if self.n_updates == 0 else self._start).copy()
        if self.n_updates > 0:
            self._start.recode(new_ids, n_words)
        if self._anchor is not None:
            documents = self._anchor.documents.renumber(new_ids, n_words)
            model = self._anchor.model.recode(new_ids, n_words)
            self._anchor = Anchor(documents, model, self._start)

    def _step(self, n_docs: int) -> None:
        """Draw documents of the epoch and move the statistics."""
        # Through the model: differences can make statistics negative, which the M-step mends.
        model = self._statistics.maximise(self.smoothing)
        if self._anchor is None or self._n_left <= 0:
            self._anchor = Anchor(self.sample.documents, model, self._start)
            self._n_left = len(self.sample)
        anchor, n_anchored = self._anchor, self._anchor.documents.n_docs
        drawn = self._rng.integers(n_anchored, size=n_docs)
        documents = anchor.documents[drawn]
        change = model.posterior(documents) - anchor.posterior[drawn]
        self._statistics.blend(anchor.statistics, self.step_size)
        gain = self.step_size * n_anchored / (n_anchored + 1)  # the start's share does not change
        self._statistics.add(documents, change, gain / n_docs)
        self._n_left -= n_docs
