"""gensim: online variational Bayes on lists of (word, count)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from benchmarks.task import Task
from benchmarks.timing import Trial
from spectralleader import Documents
from spectralleader.arrays import Ints


def lda(task: Task) -> Trial:
    """One update a block, without the perplexity estimate that would double the time."""
    from gensim.models import LdaModel

    names = {word: str(word) for word in range(task.n_words)}
    model = LdaModel(
        id2word=names,
        num_topics=task.n_topics,
        chunksize=task.block_size,
        eval_every=None,
        random_state=task.seed,
    )
    blocks = [_bags(block) for block in task.blocks()]

    def run() -> None:
        for block in blocks:
            model.update(block)
            if task.reads:
                model.get_topics()
        model.get_topics()

    def guess() -> Ints:
        return np.concatenate([model.inference(block)[0].argmax(axis=1) for block in blocks])

    return Trial(run, task.n_docs, guess=guess)


def _bags(block: Documents) -> list[list[tuple[int, int]]]:
    ends, words, counts = block.indptr.tolist(), block.words.tolist(), block.counts.tolist()
    entries = list(zip(words, map(int, counts), strict=True))
    return [entries[start:end] for start, end in pairwise(ends)]
