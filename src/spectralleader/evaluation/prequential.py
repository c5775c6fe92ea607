"""The prequential loop: evaluate on a block, then learn from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter

from spectralleader.documents import Block, Documents
from spectralleader.evaluation.metrics import Metric
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

    def __init__(self, learner: Learner, losses: Losses = NO_LOSSES) -> None:
        self.learner, self.losses = learner, losses

    def predict(self, documents: Documents) -> Losses:
        """Return the losses of a block without recording them; pass them to `learn`.

        All documents must have words.
        """
        began = working_time()
        known = meet(self.learner, Block(documents)).documents
        if not self.losses.n_learned:
            return Losses(known.n_docs, seconds=working_time() - began)
        loss = -float(self.learner.predictive.log_prob(known).sum())
        n_docs, n_words = known.n_docs, float(known.lengths.sum())
        return Losses(n_docs, n_docs, n_words, loss, working_time() - began)

    def learn(self, documents: Documents, found: Losses) -> None:
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


def judge(
    learner: Learner, stream: Iterable[Block], metrics: Mapping[str, Metric]
) -> Iterator[dict[str, float]]:
    """Yield every metric at every step t = 1, 2, ..., before block t is learned.

    A growing learner is first widened to the vocabulary of the block, see `meet`.

    Examples
    --------
    >>> from spectralleader import Algorithm1, Documents
    >>> from spectralleader.evaluation import log_loss
    >>> stream = [Block(Documents.from_tokens([[0, 1, 0]], n_words=3))]
    >>> steps = list(judge(Algorithm1(3, n_words=3), stream, {"L1": log_loss}))
    >>> round(steps[0]["L1"], 3)  # three words, each 1/3 likely: log 27
    3.296
    """
    for block in stream:
        known = meet(learner, block)
        yield {name: metric(learner, known) for name, metric in metrics.items()}
        learner.learn(block.documents)


def meet(learner: Learner, block: Block) -> Block:
    """Widen a growing learner to a block's vocabulary; return the block over the learner's words.

    No model can predict a word without an id, so the learner is given the number of words up to
    this block before it is evaluated, but nothing about their frequencies. Each new word gets the
    probability of an unseen word: in `Unigram` the pseudo-count that would have predicted earlier
    blocks best, in a spectral learner a share of the background (method.md, eq. 11), in EM the
    smoothing pseudo-count. The model is then a distribution over all d words, and its loss is
    finite. Losses of growing learners on the same stream are comparable; they are not comparable
    with those of a learner that was given a larger vocabulary from the start.
    """
    n_words = block.documents.n_words
    if n_words > learner.n_words:
        learner.learn(Documents.empty(n_words))
    return block._replace(documents=block.documents.widen(learner.n_words))


def running_averages(steps: Iterable[Mapping[str, float]]) -> Iterator[dict[str, float]]:
    """Yield (1/n) sum_{t=2..n} of every metric, for n = 1, 2, ...: the paper's averages.

    As the paper defines it, step 1 counts in n but not in the sum, because there is nothing to
    predict the first document from.
    """
    totals: dict[str, float] = {}
    for n, values in enumerate(steps, start=1):
        totals = {name: totals[name] + value if n > 1 else 0.0 for name, value in values.items()}
        yield {name: total / n for name, total in totals.items()}
