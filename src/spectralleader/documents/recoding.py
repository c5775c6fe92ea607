"""Recoding: the renumbering and dropping of words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spectralleader.checks import is_whole

Ids = NDArray[np.int64]
MAX_WORDS = 2**31 - 1  # word ids are 32-bit


def check_n_words(n_words: int) -> int:
    """Return a vocabulary size as an int; raise `ValueError` unless it is from 1 to 2**31 - 1."""
    if not is_whole(n_words):
        raise ValueError(f"n_words must be an integer, got {n_words!r}")
    if not 1 <= n_words <= MAX_WORDS:
        raise ValueError(f"n_words must be from 1 to {MAX_WORDS}, got {n_words}")
    return int(n_words)


def check_recoding(
    new_ids: ArrayLike | None, n_before: int, n_words: int
) -> tuple[Ids | None, int]:
    """Return the validated new ids of n_before words and the number of words there will be.

    The ids are None if every word keeps its id.

    Raises
    ------
    ValueError
        If ids have the wrong shape or type, are out of range, or are not distinct.
    """
    n_words = check_n_words(n_words)
    if new_ids is None and n_before <= n_words:
        return None, n_words
    ids: NDArray[Any] = np.arange(n_before) if new_ids is None else np.asarray(new_ids)
    if ids.shape != (n_before,) or ids.dtype.kind not in "ui":
        raise ValueError(
            f"new_ids must be {n_before} integers, one for each word so far, "
            f"got an array of shape {ids.shape} and dtype {ids.dtype}"
        )
    if n_before and not -1 <= ids.min() <= ids.max() < n_words:
        bad = ids[(ids < -1) | (ids >= n_words)][0]
        raise ValueError(
            f"new_ids has the word id {bad}, outside the {n_words} words of n_words; "
            "give ids from 0, and -1 to a word that is dropped"
        )
    # Two words with one id would be the same word twice in a document, which no kernel expects.
    taken = np.bincount(ids[ids >= 0], minlength=1)
    if taken.max() > 1:
        raise ValueError(
            f"new_ids gives the word id {int(taken.argmax())} to {taken.max()} words; "
            "give every word an id of its own"
        )
    is_same = np.array_equal(ids, np.arange(n_before))
    return None if is_same else ids.astype(np.int64), n_words


def renumber(
    new_ids: Ids, indptr: Ids, words: NDArray[np.int32], counts: NDArray[np.float64]
) -> tuple[Ids, NDArray[np.int32], NDArray[np.float64]]:
    """Return the CSR arrays of the documents with new word ids; words with id -1 are dropped."""
    moved = new_ids[words]
    kept = moved >= 0
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[indptr]
    moved, counts = moved[kept], counts[kept]
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    order = np.lexsort((moved, rows))  # new ids may break the increasing order within documents
    return ends, moved[order].astype(np.int32), counts[order]


def move_rows(rows: NDArray[np.float64], new_ids: Ids | None, n_words: int) -> NDArray[np.float64]:
    """Return an array with one row per word, moved to the new ids; new words get zeros."""
    moved = np.zeros((n_words, *rows.shape[1:]))
    if new_ids is None:
        moved[: len(rows)] = rows
    else:
        kept = new_ids >= 0
        moved[new_ids[kept]] = rows[kept]
    return moved
