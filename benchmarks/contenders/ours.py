"""Our learners, and the loop in which they learn a task."""

from __future__ import annotations

from typing import Any

from benchmarks.task import Task
from benchmarks.timing import Trial
from spectralleader.arrays import Ints


def hedged_leader(task: Task) -> Trial:
    """Learn every block, with its default reservoir: nothing is set."""
    from spectralleader import HedgedLeader

    return learn(HedgedLeader(task.n_topics, n_words=task.n_words, seed=task.seed), task)


def spectral_leader(task: Task, **parameters: Any) -> Trial:
    """Learn every block; the model is solved for when it is read."""
    from spectralleader import SpectralLeader

    learner = SpectralLeader(
        task.n_topics,
        n_words=task.n_words,
        reservoir_size=task.reservoir_size,
        seed=task.seed,
        **parameters,
    )
    return learn(learner, task)


def batch_em(task: Task, **parameters: float) -> Trial:
    """Remember every document, then EM over all of them; offline."""
    from spectralleader import BatchEM

    learner = BatchEM(task.n_topics, n_words=task.n_words, seed=task.seed, **parameters)
    return learn(learner, task)


def stepwise_em(task: Task, **parameters: float) -> Trial:
    """Learn every block as one mini-batch."""
    from spectralleader import StepwiseEM

    learner = StepwiseEM(task.n_topics, n_words=task.n_words, seed=task.seed, **parameters)
    return learn(learner, task)


def learn(learner: Any, task: Task) -> Trial:
    """Return a trial in which one of our learners goes through the task."""
    blocks = task.blocks()

    def run() -> None:
        for block in blocks:
            learner.learn(block)
            if task.reads:
                learner.model  # noqa: B018  # reading is the work
        learner.model  # noqa: B018

    def guess() -> Ints:
        return learner.model.posterior(task.documents).argmax(axis=1)

    return Trial(run, task.n_docs, guess=guess)
