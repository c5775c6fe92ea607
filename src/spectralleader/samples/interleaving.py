"""Interleaving of samples of several streams, as if they had been one stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.documents import Documents


def interleave(n_seen: Sequence[int], n: int, rng: np.random.Generator) -> Ints:
    """Return the stream of each of n documents drawn without replacement, (n,), in random order.

    Every document of every stream is equally likely, so that the numbers per stream follow a
    multivariate hypergeometric distribution. If fewer than n were seen, all are drawn.
    """
    ends = np.cumsum(n_seen)
    # Numbers in the streams end to end; NumPy shuffles them by default, so that turns are random.
    drawn = rng.choice(int(ends[-1]), min(n, int(ends[-1])), replace=False)
    return np.searchsorted(ends, drawn, side="right").astype(np.int64)


def take_in_turns(blocks: Sequence[Documents], turns: Ints) -> Documents:
    """Return documents interleaved from blocks: document i is the next one of ``turns[i]``.

    Examples
    --------
    >>> blocks = [Documents.from_tokens([[0], [1]], 3), Documents.from_tokens([[2]], 3)]
    >>> take_in_turns(blocks, np.array([0, 1, 0])).words.tolist()
    [0, 2, 1]
    """
    firsts = np.cumsum([0, *(block.n_docs for block in blocks)])
    rows = np.empty(len(turns), np.int64)
    for i in range(len(blocks)):
        mine = turns == i
        # Documents of one stream keep their order, which `Window.merge` relies on.
        rows[mine] = firsts[i] + np.arange(mine.sum())
    return Documents.concatenate(over_one_vocabulary(blocks)).take(rows)


def over_one_vocabulary(blocks: Sequence[Documents]) -> list[Documents]:
    """Return the blocks widened to the largest vocabulary."""
    n_words = max(block.n_words for block in blocks)
    return [block.widen(n_words) for block in blocks]
