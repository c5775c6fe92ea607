"""Shortening: a long document remembered by a random part of it, so that memory is bounded."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks import is_whole
from spectralleader.documents import Documents

WORDS_A_DOCUMENT = 1024  # different words remembered of each document if nobody says, at most
FEWEST = 3  # words that a part must have: it is of use for triples then
STREAM = 0x73686F7274  # of draws: apart from whatever else is drawn by small seeds


def check_capacity(capacity: Any) -> int:
    """Return how many documents a sample remembers, at most."""
    if not is_whole(capacity) or capacity < 1:
        raise ValueError(f"capacity must be an integer of at least 1, got {capacity!r}")
    return int(capacity)


def check_budget(budget: Any, capacity: int) -> int:
    """Return how many different words a sample of that capacity remembers in all, at most."""
    if budget is None:
        return WORDS_A_DOCUMENT * capacity
    if not is_whole(budget) or budget < FEWEST * capacity:
        raise ValueError(
            f"budget must be an integer number of words, at least {FEWEST} for each of the "
            f"capacity={capacity} documents, got {budget!r}"
        )
    return int(budget)


def shorten(documents: Documents, numbers: Ints, most: int) -> Documents:
    """Return documents, each of more than `most` different words replaced by `most` of its tokens.

    The tokens are drawn at random, none twice. Words, pairs and triples are averages over all
    tuples of distinct tokens, so in expectation a part has those of its document, exactly: moments
    stay unbiased. (And under a single-topic model a part is a document of the same topic.)

    The draws depend on ``numbers[i]``, the document's number in the stream, and on nothing else.

    Examples
    --------
    >>> block = Documents.from_tokens([range(100), [5, 5]], n_words=100)
    >>> shorten(block, np.array([0, 1]), most=10).lengths.tolist()
    [10.0, 2.0]
    """
    indptr = documents.indptr
    words, counts, done = [], [], 0  # pieces: what is between long documents, and their parts
    sizes = np.diff(indptr)
    for i in np.flatnonzero(sizes > most):
        here = slice(indptr[i], indptr[i + 1])
        part = draw_part(documents.words[here], documents.counts[here], most, int(numbers[i]))
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


def draw_part(words: WordIds, counts: Floats, n: int, number: int) -> tuple[WordIds, Floats]:
    """Return the words and counts of n tokens of a document, drawn without replacement."""
    ends = np.cumsum(counts)  # exact: a document has fewer than 2**53 tokens
    rng = np.random.default_rng((number, STREAM))
    # by Floyd's method or by shuffling at most max(10,000, 50 n) tokens: never one entry a token
    positions = rng.choice(int(ends[-1]), n, replace=False, shuffle=False)
    drawn = np.bincount(np.searchsorted(ends, positions, side="right"), minlength=len(words))
    kept = np.flatnonzero(drawn)
    return words[kept], drawn[kept].astype(np.float64)


def shorten_rows(documents: Documents, rows: Ints, first: int, most: int) -> tuple[Documents, Ints]:
    """Return rows of a block, shortened, and their numbers in what is returned.

    The block is returned as it is if none of its documents is long. Its first is number `first`.
    """
    if (np.diff(documents.indptr) <= most).all():
        return documents, rows
    return shorten(documents.take(rows), first + rows, most), np.arange(len(rows))
