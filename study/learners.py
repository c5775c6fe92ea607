"""Learners that only the study compares with, public to scenarios as ``study.learners:Name``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import check_same, distributions, take, whole
from spectralleader.documents import Documents
from spectralleader.em.start import Start
from spectralleader.learners.hedged import HedgedLeader
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.learners.spectral_leader.spectral_leader import SpectralLeader
from spectralleader.learners.stepwise_em import OnlineEM, StepwiseEM
from spectralleader.models import Predictive, TopicModel
from spectralleader.moments.sums import sum_words
from spectralleader.runtime.locks import locked
from spectralleader.samples import Reservoir, Sample, read_sample
from spectralleader.spectral.warm import background_share, smooth_words

MAX_REVISITS = 10_000  # a block comes to an end


class IncrementalEM(OnlineEM):
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
        OnlineEM.saved,
        n_revisits=take,
        sample=field(read_sample, n_words=lambda known: known["n_words"]),
        _posterior=field(distributions, shape=(None, "n_topics")),
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
        self.sample: Sample = reservoir if sample is None else sample
        self._posterior = np.zeros((0, n_topics))  # of the document in each slot
        self._next = 0  # slot to revisit next

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self.sample.recode(new_ids, n_words)

    def _loaded(self) -> None:
        super()._loaded()
        check_same("documents with a posterior", len(self._posterior), len(self.sample))

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
        self._statistics.add(change.left, self._posterior[replaced], -1.0)
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
        self._statistics.add(documents, posterior - self._posterior[slots])
        self._posterior[slots] = posterior
        self._model = None


class MiniBatchEM(StepwiseEM):
    """Stepwise EM that learns a block in mini-batches of a size of its own.

    The step size shrinks with the number of mini-batches, as in Liang & Klein (2009), who choose
    their size freely; `StepwiseEM` makes one step per block.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    mini_batch : int
        Documents of an EM step, at most.
    **settings
        As in `StepwiseEM`.

    Examples
    --------
    >>> learner = MiniBatchEM(n_topics=2, n_words=2, mini_batch=2)
    >>> learner.learn(Documents.from_tokens([[0, 0], [1, 1], [0, 0]], n_words=2))
    >>> learner.n_updates
    2
    """

    saved = fields(StepwiseEM.saved, mini_batch=take)

    def __init__(self, n_topics: int, *, mini_batch: int, **settings: Any) -> None:
        super().__init__(n_topics, **settings)
        self.mini_batch = check_whole("mini_batch", mini_batch, 1)

    def _learn(self, documents: Documents) -> None:
        for part in documents.blocks(self.mini_batch):
            super()._learn(part)


class HedgedModel(HedgedLeader):
    """HedgedLeader that predicts by its topics alone: K components instead of the mixture."""

    @property
    def predictive(self) -> Predictive:
        """The model that people read."""
        return self.model


class WithoutSpectral(HedgedLeader):
    """HedgedLeader without spectral starts: every race is among other starts."""

    def __init__(self, n_topics: int, **named: Any) -> None:
        super().__init__(n_topics, settings=replace(SETTINGS, spectral=0), **named)


class Bayes(Mixing):
    """Experts weighted by their likelihoods and fixed share, without the pool of eq. 29."""

    def __init__(self, n_experts: int) -> None:
        super().__init__(n_experts)
        self.weights = np.append(self.pool, 0.0)

    def update(self, log_probs: Floats) -> None:
        """Update the weights by one document after the other (eq. 30)."""
        weights, n = self.weights[:-1], len(self.pool)
        for row in log_probs:
            self.n_docs += 1
            share = 1.0 / (self.n_docs + 1)
            weights *= np.exp(row - row.max())
            weights *= (1.0 - share) / weights.sum()
            weights += share / n


class WithoutPool(HedgedLeader):
    """HedgedLeader whose experts are weighted by Bayes' rule alone."""

    def __init__(self, n_topics: int, **settings: Any) -> None:
        super().__init__(n_topics, **settings)
        self._mixing = Bayes(len(self._experts.names))


class Rebalanced(SpectralLeader):
    """SpectralLeader with another constant in eq. 11, the share of word frequencies in topics.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    factor : float
        Of the free parameters that eq. 11 weighs against the tokens; 1 is the paper's learner.
    **settings
        As in `SpectralLeader`.

    Examples
    --------
    >>> learner = Rebalanced(n_topics=2, n_words=2, factor=1e6)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> learner.model.topics.round(2).tolist()  # word frequencies
    [[0.65, 0.35], [0.65, 0.35]]
    """

    def __init__(self, n_topics: int, *, factor: float, **settings: Any) -> None:
        super().__init__(n_topics, **settings)
        self.factor = factor
        self._made: tuple[TopicModel, TopicModel] | None = None  # of which model, and the result

    @property
    def model(self) -> TopicModel:
        """The model, its word frequencies exchanged for another share of them."""
        model = super().model
        # Two metrics read the model of every step, which sums all remembered documents.
        if self._made is None or self._made[0] is not model:
            self._made = model, self._rebalance(model, self.sample.documents)
        return self._made[1]

    def _rebalance(self, model: TopicModel, documents: Documents) -> TopicModel:
        n_tokens = float(documents.counts.sum())
        if n_tokens == 0.0:  # all of it is word frequencies
            return model
        unigram = smooth_words(sum_words(documents), n_tokens)
        share = background_share(self.n_topics, self.n_words, n_tokens)
        # The odds of eq. 11 are the free parameters over the tokens.
        wanted = self.factor * share / (1.0 - share + self.factor * share)
        rest = np.maximum(model.topics - share * unigram, 0.0)  # rounding can leave -1e-16
        topics = rest * ((1.0 - wanted) / (1.0 - share)) + wanted * unigram
        return TopicModel.trusted(model.weights, topics / topics.sum(axis=1, keepdims=True))
