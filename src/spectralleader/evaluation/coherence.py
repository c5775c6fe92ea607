"""Coherence and diversity of the top words of topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spectralleader.documents import Documents


def coherence(documents: Documents, topics: Sequence[Sequence[int]]) -> float:
    """Return the mean NPMI of pairs of a topic's top words, counted by documents.

    -1: the words never occur together; 0: as often as by chance; 1: always (Bouma 2009).

    Parameters
    ----------
    documents : Documents
        The reference corpus.
    topics : sequence of sequences of int
        The ids of the top words of each topic.

    Examples
    --------
    >>> block = Documents.from_tokens([[0, 1], [0, 1], [2], [3]], n_words=4)
    >>> coherence(block, [[0, 1]]), coherence(block, [[2, 3]])
    (1.0, -1.0)
    """
    n, values = max(1, documents.n_docs), list[float]()
    has = documents.as_floats().tocsc()
    has.data = np.ones_like(has.data)
    for words in topics:
        some = has[:, list(words)]
        both = (some.T @ some).toarray() / n
        alone = np.diag(both)
        for i in range(len(words)):
            for j in range(i):
                p = float(both[i, j])
                pmi = np.log(p / (alone[i] * alone[j])) if p > 0 else 0.0
                values.append(float(pmi / -np.log(p)) if 0 < p < 1 else -1.0)
    return float(np.mean(values)) if values else 0.0


def diversity(topics: Sequence[Sequence[int]]) -> float:
    """Return the share of distinct words among the top words of all topics.

    Examples
    --------
    >>> diversity([[0, 1], [1, 2]])
    0.75
    """
    shown = [word for words in topics for word in words]
    return len(set(shown)) / len(shown) if shown else 0.0
