"""The prequential loop: judge with what came before, then learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter

from spectralleader.documents import Documents
from spectralleader.evaluation.metrics import Metric
from spectralleader.learners.protocol import Learner
from spectralleader.runtime.compiled import COMPILING
from spectralleader.sources.block import Block
from spectralleader.storage.checkpoint import Losses

NO_LOSSES = Losses()


class Prequential:
    """A learner and its losses: each block is predicted, then learned.

    The first block is not predicted, as no learner can predict before the first document.

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
        """Return what a block adds to the losses once it is learned; nothing is added yet.

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
        """Learn a block, then add what `predict` found of it."""
        began = working_time()
        self.learner.learn(documents)
        self.losses += found + Losses(seconds=working_time() - began)


def working_time() -> float:
    """Return a clock in seconds that stands still while this thread compiles kernels."""
    return perf_counter() - COMPILING.of_thread.seconds


def judge(
    learner: Learner, stream: Iterable[Block], metrics: Mapping[str, Metric]
) -> Iterator[dict[str, float]]:
    """Yield every metric at every step t = 1, 2, ..., of the model before block t was learned.

    A learner that grows is first told how many words there are up to this block, see `meet`.

    Examples
    --------
    >>> from spectralleader import Algorithm1
    >>> from spectralleader.evaluation import log_loss
    >>> from spectralleader.sources.synthetic import hard
    >>> stream = hard().blocks(block_size=1, n_steps=3, seed=0)
    >>> steps = list(judge(Algorithm1(3, n_words=3), stream, {"L1": log_loss}))
    >>> round(steps[0]["L1"], 3)  # three words, each 1/3 likely: log 27
    3.296
    """
    for block in stream:
        known = meet(learner, block)
        yield {name: metric(learner, known) for name, metric in metrics.items()}
        learner.learn(block.documents)


def meet(learner: Learner, block: Block) -> Block:
    """Let a growing learner know of a block's words; return the block over all that it knows.

    No model can predict a word that it has no number for. So the learner is told beforehand how
    many words there are up to the block, and nothing about how often they occur. It widens, and
    gives each new word the probability that it gives any unseen word: `Unigram` the pseudo-count
    that would have predicted earlier blocks best, a spectral learner a part of its background
    (method.md, eq. 11), EM the pseudo-count of its smoothing. The model is a distribution over all
    d words. So a loss is finite, and can be compared with that of any other learner that grows on
    the same stream; not with that of one told a larger vocabulary, which has more words to choose
    from.
    """
    n_words = block.documents.n_words
    if n_words > learner.n_words:
        learner.learn(Documents.empty(n_words))
    return block._replace(documents=block.documents.widen(learner.n_words))


def running_averages(steps: Iterable[Mapping[str, float]]) -> Iterator[dict[str, float]]:
    """Yield (1/n) sum_{t=2..n} of every metric, for n = 1, 2, ...: the paper's averages.

    The first step is left out of the sum and counted in n, as the paper defines it: nobody can
    predict before the first document.
    """
    totals: dict[str, float] = {}
    for n, values in enumerate(steps, start=1):
        totals = {name: totals[name] + value if n > 1 else 0.0 for name, value in values.items()}
        yield {name: total / n for name, total in totals.items()}
