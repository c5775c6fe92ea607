"""scikit-learn: two online topic models, and the vectoriser that every text pipeline pays for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation, MiniBatchNMF

from benchmarks.task import Task
from benchmarks.timing import Trial
from spectralleader.arrays import Ints


def lda(task: Task, *, n_passes: int = 1) -> Trial:
    """Online variational Bayes; topics are the components divided by their sums."""
    model = LatentDirichletAllocation(
        task.n_topics, total_samples=task.n_docs, random_state=task.seed
    )

    def read() -> object:
        return model.components_ / model.components_.sum(axis=1, keepdims=True)

    return _partial_fits(model, task, read, n_passes)


def nmf(task: Task, *, loss: str) -> Trial:
    """Matrix factorisation in mini-batches."""
    model = MiniBatchNMF(
        task.n_topics, beta_loss=loss, batch_size=task.block_size, random_state=task.seed
    )
    return _partial_fits(model, task, lambda: model.components_)


def _partial_fits(model: Any, task: Task, read: Any, n_passes: int = 1) -> Trial:
    """Return a trial; a document's topic is the one that accounts for most of its words."""
    blocks = blocks_of(task)

    def run() -> None:
        for block in n_passes * blocks:
            model.partial_fit(block)
            if task.reads:
                read()
        read()

    def guess() -> Ints:
        sizes = model.components_.sum(axis=1) if isinstance(model, MiniBatchNMF) else 1.0
        return np.concatenate([(model.transform(b) * sizes).argmax(axis=1) for b in blocks])

    return Trial(run, task.n_docs, guess=guess)


def blocks_of(task: Task) -> list[sp.csr_matrix]:
    matrix = task.matrix()
    starts = range(0, task.n_docs, task.block_size)
    return [matrix[start : start + task.block_size] for start in starts]


def vectorizer(task: Task) -> Trial:
    """Turn the text of every block into counts, over a vocabulary that is known."""
    starts = range(0, task.n_docs, task.block_size)
    blocks = [task.texts[start : start + task.block_size] for start in starts]

    def run() -> None:
        for block in blocks:
            task.vectorizer.transform(block)

    return Trial(run, task.n_docs)
