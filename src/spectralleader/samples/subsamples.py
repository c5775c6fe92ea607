"""Subsamples: of the tokens of a long document, and of the documents of several streams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import BlockT, Documents

STREAM = 0x73686F7274  # second seed of these draws: keeps them apart from users' small seeds


def subsample_tokens(documents: Documents, numbers: Ints, most: int) -> Documents:
    """Return documents in which those of more than `most` distinct words keep `most` tokens.

    The tokens are drawn without replacement. Words, pairs and triples are averages over all tuples
    of distinct tokens, so their expectation over the draws is exactly that of the document: moments
    stay unbiased. Under a single-topic model, a part is also a document of the same topic.

    The draws only depend on ``numbers[i]``, the number of the document in the stream.

    Examples
    --------
    >>> block = Documents.from_tokens([range(100), [5, 5]], n_words=100)
    >>> subsample_tokens(block, np.array([0, 1]), most=10).lengths.tolist()
    [10.0, 2.0]
    """
    indptr = documents.indptr
    words, counts, done = [], [], 0  # alternately the entries between long documents, and parts
    sizes = np.diff(indptr)
    # A Python loop, because long documents are few.
    for i in np.flatnonzero(sizes > most):
        here = slice(indptr[i], indptr[i + 1])
        part = draw_tokens(documents.words[here], documents.counts[here], most, int(numbers[i]))
        words += [documents.words[done : here.start], part[0]]
        counts += [documents.counts[done : here.start], part[1]]
        sizes[i], done = len(part[0]), here.stop
    if not words:
        return documents
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return Documents.trusted(
        ends,
        np.concatenate([*words, documents.words[done:]]),
        np.concatenate([*counts, documents.counts[done:]]),
        documents.n_words,
    )


def draw_tokens(words: WordIds, counts: Floats, n: int, number: int) -> tuple[WordIds, Floats]:
    """Return the words and counts of n tokens of a document, drawn without replacement."""
    ends = np.cumsum(counts)  # exact, because a document has fewer than 2**53 tokens
    rng = np.random.default_rng((number, STREAM))
    # NumPy uses Floyd's method or shuffles at most max(10,000, 50 n) tokens, never all of them.
    positions = rng.choice(int(ends[-1]), n, replace=False, shuffle=False)
    # Token i belongs to the first word whose cumulative count exceeds i.
    drawn = np.bincount(np.searchsorted(ends, positions, side="right"), minlength=len(words))
    kept = np.flatnonzero(drawn)
    return words[kept], drawn[kept].astype(np.float64)


def interleave(n_seen: Sequence[int], n: int, rng: np.random.Generator) -> Ints:
    """Return the stream of each of n documents drawn without replacement, (n,), in random order.

    Every document of every stream is equally likely, so that the numbers per stream follow a
    multivariate hypergeometric distribution. If fewer than n were seen, all are drawn.
    """
    ends = np.cumsum(n_seen)
    # Numbers in the streams end to end; NumPy shuffles them by default, so that turns are random.
    drawn = rng.choice(int(ends[-1]), min(n, int(ends[-1])), replace=False)
    return np.searchsorted(ends, drawn, side="right").astype(np.int64)


def take_in_turns(blocks: Sequence[BlockT], turns: Ints) -> BlockT:
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
    return type(blocks[0]).concatenate(over_one_vocabulary(blocks)).take(rows)


def over_one_vocabulary(blocks: Sequence[BlockT]) -> list[BlockT]:
    """Return the blocks widened to the largest vocabulary."""
    n_words = max(block.n_words for block in blocks)
    return [block.widen(n_words) for block in blocks]
