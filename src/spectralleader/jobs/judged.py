"""Judged: a learner, and how well it predicted what it was about to learn."""

from __future__ import annotations

import math
from time import perf_counter

from spectralleader.documents import Documents
from spectralleader.evaluation import meet
from spectralleader.learners import Learner
from spectralleader.sources.block import Block
from spectralleader.storage.checkpoint import Sums


class Judged:
    """A learner with its prequential loss: each block is predicted, then learned.

    The first block is not judged, as nobody can predict before the first document.

    Examples
    --------
    >>> from spectralleader import Unigram
    >>> judged = Judged(Unigram(1, n_words=2))
    >>> for _ in range(3):
    ...     documents = Documents.from_tokens([[0, 1], [1, 0]], n_words=2)
    ...     judged.judge(documents)
    ...     judged.learn(documents)
    >>> round(judged.mean_loss, 3), round(judged.perplexity, 3)  # log 4, two words alike
    (1.386, 2.0)
    """

    def __init__(self, learner: Learner, sums: Sums | None = None) -> None:
        sums = sums or Sums()
        self.learner = learner
        self.n_learned = sums.n_learned  # documents
        self.n_docs = sums.n_docs  # documents judged
        self.n_words = sums.n_words  # in these
        self.loss = sums.loss  # their negative log-probability, in nats
        self.seconds = sums.seconds  # spent on predicting and learning

    @property
    def sums(self) -> Sums:
        """All but the learner, to go on with."""
        return Sums(self.n_learned, self.n_docs, self.n_words, self.loss, self.seconds)

    def predict(self, documents: Documents) -> Sums:
        """Return what `judge` adds for a block that is about to be learned; nothing is added."""
        began = perf_counter()
        known = meet(self.learner, Block(documents)).documents
        if not self.n_learned:
            return Sums(seconds=perf_counter() - began)
        loss = -float(self.learner.predictive.log_prob(known).sum())
        n_words = float(known.lengths.sum())
        return Sums(0, known.n_docs, n_words, loss, perf_counter() - began)

    def add(self, sums: Sums) -> None:
        """Add what `predict` returned."""
        self.n_docs += sums.n_docs
        self.n_words += sums.n_words
        self.loss += sums.loss
        self.seconds += sums.seconds

    def judge(self, documents: Documents) -> None:
        """Predict a block that is about to be learned, all of whose documents have words."""
        self.add(self.predict(documents))

    def learn(self, documents: Documents) -> None:
        """Learn a block."""
        began = perf_counter()
        self.learner.learn(documents)
        self.n_learned += documents.n_docs
        self.seconds += perf_counter() - began

    @property
    def mean_loss(self) -> float | None:
        """L1: mean negative log-probability of a document, in nats; None if none was judged."""
        return self.loss / self.n_docs if self.n_docs else None

    @property
    def perplexity(self) -> float | None:
        """Among how many equally likely words each word was, in effect, to be guessed."""
        return math.exp(self.loss / self.n_words) if self.n_words else None

    @property
    def microseconds(self) -> float | None:
        """Time for a document, predicting and learning."""
        return 1e6 * self.seconds / self.n_learned if self.n_learned else None
