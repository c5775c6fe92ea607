"""The prequential loop: judge with what came before, then learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spectralleader.evaluation.metrics import Metric
from spectralleader.learners.protocol import Learner
from spectralleader.streams.block import Block


def judge(
    learner: Learner, stream: Iterable[Block], metrics: Mapping[str, Metric]
) -> Iterator[dict[str, float]]:
    """Yield every metric at every step t = 1, 2, ..., of the model before block t was learned.

    Examples
    --------
    >>> from spectralleader import LiteralLeader
    >>> from spectralleader.evaluation import log_loss
    >>> from spectralleader.streams.synthetic import hard
    >>> stream = hard().blocks(block_size=1, n_steps=3, seed=0)
    >>> steps = list(judge(LiteralLeader(3, n_words=3), stream, {"L1": log_loss}))
    >>> round(steps[0]["L1"], 3)  # three words, each 1/3 likely: log 27
    3.296
    """
    for block in stream:
        yield {name: metric(learner, block) for name, metric in metrics.items()}
        learner.learn(block.documents)


def running_averages(steps: Iterable[Mapping[str, float]]) -> Iterator[dict[str, float]]:
    """Yield (1/n) sum_{t=2..n} of every metric, for n = 1, 2, ...: the paper's averages.

    The first step is left out of the sum and counted in n, as the paper defines it: nobody can
    predict before the first document.
    """
    totals: dict[str, float] = {}
    for n, values in enumerate(steps, start=1):
        totals = {name: totals[name] + value if n > 1 else 0.0 for name, value in values.items()}
        yield {name: total / n for name, total in totals.items()}
