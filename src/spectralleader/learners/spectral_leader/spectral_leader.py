"""SpectralLeader: the paper's learner, at a fraction of the cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks import check_truth, check_whole
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import check_same, truth, whole
from spectralleader.documents import Documents
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.learners.spectral_leader.anchored_estimator import AnchoredEstimator
from spectralleader.learners.unigram import measure_gain
from spectralleader.models import TopicModel
from spectralleader.models.matching import best_order, put_in_order
from spectralleader.runtime.locks import changing, locked
from spectralleader.samples import SAMPLES, Change, Reservoir, Sample, read_sample
from spectralleader.spectral import Estimate


def in_order(model: TopicModel, reference: TopicModel | None) -> TopicModel:
    """Return a model with its topics in the order that best matches a reference, if there is one.

    A reference over fewer words gives the others probability 0.

    Examples
    --------
    >>> model = TopicModel([0.25, 0.75], [[1.0, 0.0], [0.0, 1.0]])
    >>> in_order(model, TopicModel([1.0, 0.0], [[0.2, 0.8], [0.8, 0.2]])).weights.tolist()
    [0.75, 0.25]
    """
    if reference is None:
        return model
    ordered = np.empty_like(model.weights), np.empty_like(model.topics)
    if put_in_order(model.weights, model.topics, reference.topics, *ordered):
        return TopicModel.trusted(*ordered)
    order = best_order(model.topics, reference.topics)
    return TopicModel.trusted(model.weights[order], model.topics[order])


def next_renewal(n_docs: int) -> int:
    """Return the size of a growing sample at which the reference is renewed."""
    # Doubling keeps the work per document bounded. L2 at 5/4 or 4 times differs by less than 2
    # standard errors (python -m benchmarks.constants).
    return 1 << n_docs.bit_length()


class SpectralLeader(LearnerBase):
    """Online spectral learning: a model after every document, in microseconds.

    The paper's learner with two changes. The moments of the remembered documents are updated in a
    small basis instead of being rebuilt, and a model that is not read is not computed. And topics
    that the documents do not show yet have weight 0: an eigenvalue that can be noise is not used,
    see `noise_rank`. Topics keep a stable order.

    Without the noise rank, the model is that of `Algorithm1` up to rounding if ``d < 2 (K + 3)``.
    For more words it approximates it between two anchors: the third moments differ by 0.2 to 0.7 %
    after 3,000 documents, by 1 to 9 % after 300 (`tests/learners/test_spectral_leader.py`).

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered (the paper's m in Algorithm 1).
    seed : int
        Seed of the reservoir and of the starts of all iterations.
    sample : Sample, optional
        Which documents to remember, instead of a reservoir: a `Window` follows drift, `Everything`
        forgets nothing.
    noise_rank : bool
        Whether to use only eigenvalues of the pairs that cannot be noise, and word frequencies if
        that is only one. False is the paper's rule: use the K largest ones that are positive.

    Notes
    -----
    Memory: a sample, 20 `budget` for the anchor and the changes since, 8 (3 r d + r³) for the basis
    and its sums, r = K + 3; a buffer that changes refer to may be kept until the next anchor, as
    much again.

    Merging: the samples are merged, and the model is re-estimated.

    Examples
    --------
    >>> from spectralleader import Documents
    >>> leader = SpectralLeader(n_topics=2, n_words=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> leader.model.weights.round(2).tolist()
    [0.33, 0.67]

    If n_words is omitted, the vocabulary grows with the stream:

    >>> leader = SpectralLeader(n_topics=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [0, 0, 0]], n_words=1))
    >>> leader.learn(Documents.from_tokens([[1, 1, 1]], n_words=2))
    >>> leader.n_words, leader.model.weights.round(2).tolist()
    (2, [0.33, 0.67])
    """

    saved = fields(
        LearnerBase.saved,
        noise_rank=truth,
        sample=field(read_sample, n_words=lambda known: known["n_words"]),
        _anchored=AnchoredEstimator,
        _n_left=field(whole, least=1),
        _reference=field(TopicModel, optional=True),
    )

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
        sample: Sample | None = None,
        noise_rank: bool = True,
    ) -> None:
        super().__init__(n_topics, n_words, seed, getattr(sample, "n_words", 1))
        if sample is None:
            sample = Reservoir(check_whole("reservoir_size", reservoir_size, 1), seed=self.seed)
        if type(sample) not in SAMPLES.values():
            raise ValueError(f"sample must be one of {list(SAMPLES)}, made before; got {sample!r}")
        if sample.n_words > self.n_words:
            raise ValueError(
                f"the sample is over {sample.n_words} words, the learner over {self.n_words}; "
                "make both with one n_words"
            )
        sample.recode(None, self.n_words)
        self.sample = sample
        self.noise_rank = check_truth("noise_rank", noise_rank)
        how = (self.n_topics, self.n_words, self.seed)
        self._anchored = AnchoredEstimator(*how, noise_rank=self.noise_rank)
        if len(sample):
            self._anchored.anchor_at(sample, "the sample had documents already")
        self._n_left = 1  # documents that may enter before the reference is renewed
        self._reference: TopicModel | None = None  # topics are put in its order
        self._model: TopicModel | None = None  # of the sample as it is, once it was read

    def _learn(self, block: Documents) -> None:
        """Show the block to the sample (lines 6 to 13) and note what has changed."""
        change = self.sample.add(block)
        # If nothing entered, nothing left either: the model stays as it is.
        if change.n_entered > 0:
            self._note(change)

    def _note(self, change: Change) -> None:
        self._anchored.note(change, self.sample)
        self._model = None
        self._n_left -= change.n_entered
        if self._n_left <= 0:
            self._renew()

    def _renew(self) -> None:
        """Make the model the one that later ones are put in order by.

        After the block in which a growing sample reaches a power of two, or in which as many
        documents have entered a full one as it remembers, whether or not the model was read in
        between: so it is a function of the stream and its blocks alone.
        """
        n = len(self.sample)
        # A growing sample is renewed at the next power of two, a full one when as many documents
        # have entered as it holds.
        self._n_left = next_renewal(n) - n if n == self.sample.n_seen else n
        # Before that, places mean nothing yet.
        n_usable = self._anchored.updated().estimate.n_usable
        if n_usable == self.n_topics or (self.noise_rank and n_usable > 1):
            self._reference = self.model

    @property
    @locked
    def info(self) -> Estimate:
        """The estimate behind the model, with its diagnostics (lines 1 to 5)."""
        found = self._anchored.updated().estimate
        gain = measure_gain(found.model, self.sample.documents)
        return found._replace(anchoring=self._anchored.anchoring, gain=gain)

    @property
    def model(self) -> TopicModel:
        """The model of everything learned so far, its topics in a stable order."""
        if self._model is None:
            self._model = in_order(self._anchored.updated().model, self._reference)
        return self._model

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        self.sample.recode(new_ids, n_words)
        self._anchored.recode(new_ids, n_words)
        reference = self._reference
        if reference is not None and new_ids is not None:  # it need not know new words
            self._reference = reference.recode(new_ids[: reference.n_words], n_words)
        self._model = None
        super()._recode(new_ids, n_words)

    @property
    @locked
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return self.sample.n_seen == 0

    @property
    def settings(self) -> dict[str, Any]:
        """What leaders must have in common to be merged."""
        sample = {"sample": type(self.sample).__name__, **self.sample.settings}
        return {"n_topics": self.n_topics, "noise_rank": self.noise_rank, **sample}

    @locked
    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Merge the samples; the model is recomputed, its topics in this learner's order."""
        with changing(self):
            self.sample.merge([other.sample for other in others], rng)
            # The changes so far do not lead to the merged sample: sums must be rebuilt.
            self._anchored.anchor_at(self.sample, "samples were merged")
            self._model = None
            self._renew()

    def _loaded(self) -> None:
        self._anchored.check_leads_to(self.sample)
        if (reference := self._reference) is not None:
            check_same("n_topics of the reference", reference.n_topics, self.n_topics)
            if reference.n_words > self.n_words:  # it may know fewer
                known = f"{reference.n_words} words, the learner over {self.n_words}"
                raise ValueError(f"the reference is over {known}")
