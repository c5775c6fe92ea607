"""The prequential loop: evaluate on a block, then learn from it."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from spectralleader.documents import Block, BlockT, Documents
from spectralleader.learners.protocol import Learner
from spectralleader.runtime.compiled import COMPILING
from spectralleader.storage.checkpoint import Losses, LossPoint, Run
from spectralleader.topics.text_topics import Counted, TextTopics

NO_LOSSES = Losses()


class Prequential:
    """A learner with its prequential losses: each block is predicted, then learned.

    The first block is not predicted: before it there is no data to predict from.

    Examples
    --------
    >>> from spectralleader import Unigram
    >>> judged = Prequential(Unigram(1, n_words=2))
    >>> documents = Documents.from_tokens([[0, 1], [1, 0]], n_words=2)
    >>> for _ in range(3):
    ...     judged.learn(documents, judged.predict(documents))
    >>> round(judged.losses.mean_loss, 3), round(judged.losses.perplexity, 3)  # log 4, two words
    (1.386, 2.0)
    """

    def __init__(self, learner: Learner[Any, Any], losses: Losses = NO_LOSSES) -> None:
        self.learner, self.losses = learner, losses

    def predict(self, documents: Block) -> Losses:
        """Return the losses of a block without recording them; pass them to `learn`.

        All documents must have words.
        """
        began = working_time()
        known = meet(self.learner, documents)
        if not self.losses.n_learned:
            return Losses(known.n_docs, seconds=working_time() - began)
        loss = -float(self.learner.predictive.log_prob(known).sum())
        n_docs, n_words = known.n_docs, float(known.lengths.sum())
        return Losses(n_docs, n_docs, n_words, loss, working_time() - began)

    def learn(self, documents: Block, found: Losses) -> None:
        """Learn a block, then record the losses that `predict` returned for it."""
        began = working_time()
        self.learner.learn(documents)
        self.losses += found + Losses(seconds=working_time() - began)


class Judged:
    """Topics and a baseline over their words: each block is predicted by both, then learned.

    Parameters
    ----------
    topics : TextTopics
        The topics.
    run : Run
        The baseline, with the losses of both so far, to which further ones are added.
    """

    def __init__(self, topics: TextTopics, run: Run) -> None:
        self.topics, self.curve = topics, run.curve
        # An offline learner has no model before the end, from which to predict.
        self._judged = None if run.losses is None else Prequential(topics.learner, run.losses)
        self._baseline = Prequential(run.unigram, run.unigram_losses)

    @property
    def losses(self) -> Losses | None:
        """The losses of the topics; None of an offline learner."""
        return None if self._judged is None else self._judged.losses

    @property
    def baseline_losses(self) -> Losses:
        """The losses of the baseline."""
        return self._baseline.losses

    def step(self, counted: Counted) -> Documents:
        """Predict a block, then learn it; return its documents, over the words as they are then."""
        topics, baseline, documents = self.topics, self._baseline, counted.known
        losses = None if self._judged is None else self._judged.predict(documents)
        expected = baseline.predict(documents)
        new_ids = topics.step(counted)
        baseline.learn(documents, expected)
        if self._judged is not None and losses is not None:
            self._judged.losses += losses
            self.curve.add(LossPoint(losses.n_docs, losses.n_words, losses.loss, expected.loss))
        if new_ids is None:
            return counted.documents
        baseline.learner.recode(new_ids, topics.vocabulary.n_words)
        return counted.documents.recode(new_ids, topics.vocabulary.n_words)


def working_time() -> float:
    """Return a clock in seconds that excludes the time this thread spends compiling kernels."""
    return perf_counter() - COMPILING.thread_hooks.seconds


def meet(learner: Learner[Any, Any], documents: BlockT) -> BlockT:
    """Widen a growing learner to the words of documents; return these over the learner's words.

    No model can predict a word without an id, so the learner is given the number of words up to
    this block before it is evaluated, but nothing about their frequencies. Each new word gets the
    probability of an unseen word: in `Unigram` the pseudo-count that would have predicted earlier
    blocks best, in a spectral learner a share of the background (method.md, eq. 11), in EM the
    smoothing pseudo-count. The model is then a distribution over all d words, and its loss is
    finite. Losses of growing learners on the same stream are comparable; they are not comparable
    with those of a learner that was given a larger vocabulary from the start.
    """
    if documents.n_words > learner.n_words:
        learner.learn(documents[:0])
    return documents.widen(learner.n_words)
