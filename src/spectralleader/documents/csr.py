"""CSR arrays of a block of documents: conversion from other formats, row sums, gathering rows.

SciPy's compiled code reads and writes wherever the index arrays of a sparse matrix point. An index
outside of the matrix is a crash at best, so that every matrix of a caller passes `check_matrix`
before any other method of it is called.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.runtime.compiled import in_place

Arrays = tuple[Ints, WordIds, Floats]  # indptr, words, counts

MAX_LENGTH = 2**53  # a float64 holds every integer below this exactly
INVALID = "the sparse matrix is invalid: {}; check how its arrays were built"


def from_matrix(given: Any) -> tuple[Arrays, int]:
    """Return the arrays of a matrix of counts, and its number of columns."""
    matrix = _as_csr(given)
    _check_counts(matrix.indptr, matrix.data)
    indptr = matrix.indptr.astype(np.int64)
    _check_lengths(sum_rows(indptr, matrix.data))
    return (indptr, matrix.indices.astype(np.int32), matrix.data), matrix.shape[1]


def from_arrays(indptr: ArrayLike, words: ArrayLike, counts: ArrayLike, n_words: int) -> Arrays:
    """Return validated CSR arrays with sorted, distinct words per document."""
    for given in (counts, words, indptr):
        refuse_masked(given)
    entries = tuple(np.asarray(array) for array in (counts, words, indptr))
    if any(array.dtype.kind not in "ui" for array in entries[1:]):
        raise ValueError("indptr and words must be integers")
    import scipy.sparse as sp  # slow to import, and not needed for learning

    matrix = sp.csr_array(entries, shape=(len(entries[2]) - 1, n_words))
    return from_matrix(matrix)[0]


def from_tokens(tokens: Iterable[Sequence[int] | ArrayLike], n_words: int) -> Arrays:
    """Return the arrays of documents given as sequences of word ids."""
    arrays = [_as_ids(ids, n_words, row) for row, ids in enumerate(tokens)]
    lengths = np.array([len(ids) for ids in arrays], np.int64)
    return from_words(np.concatenate([np.zeros(0, np.int64), *arrays]), lengths, n_words)


def from_words(words: Ints, lengths: Ints, n_words: int) -> Arrays:
    """Return the arrays of documents given as concatenated word ids, which are not checked."""
    # One key per (document, word) sorts and counts all documents in a single np.unique.
    rows = np.repeat(np.arange(len(lengths)), lengths)
    entries, counts = np.unique(rows * n_words + words, return_counts=True)
    sizes = np.bincount(entries // n_words, minlength=len(lengths))
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return indptr, (entries % n_words).astype(np.int32), counts.astype(np.float64)


def from_bow(corpus: Iterable[Iterable[tuple[int, float]]], n_words: int) -> Arrays:
    """Return the arrays of documents given as pairs of word id and count."""
    # Typed arrays: 16 bytes per entry, while the number of entries is not yet known.
    sizes, ids, counts = [], array("q"), array("d")
    for row, document in enumerate(corpus):
        before = len(ids)
        try:
            for word, count in document:
                ids.append(word)
                counts.append(count)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"document {row} must be (word id, count) pairs, got {document!r:.60}"
            ) from error
        # Checked document by document, so that the error can name the document.
        _as_ids(np.array(ids[before:]), n_words, row)
        sizes.append(len(ids) - before)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    return from_arrays(indptr, np.array(ids, np.int64), np.array(counts, np.float64), n_words)


def _as_csr(counts: Any) -> Any:
    """Return a canonical CSR copy of the counts: sorted, duplicates summed, no zeros."""
    import scipy.sparse as sp  # slow to import, and not needed for learning

    counts = check_matrix(counts)
    if not sp.issparse(counts):
        counts = np.asarray(counts)
    if counts.dtype.kind not in "buif":
        raise ValueError(f"counts must be numbers, got an array of dtype {counts.dtype}")
    if counts.ndim != 2:
        raise ValueError(
            f"counts must be a matrix, documents x words, got {counts.ndim} dimension(s); "
            "give one document as a matrix of one row"
        )
    # A copy, because the following lines work in place.
    matrix = sp.csr_array(counts, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    # An entry is a word that occurs: budgets and costs count entries.
    matrix.eliminate_zeros()
    return matrix


def check_matrix(given: Any) -> Any:
    """Return a matrix of counts that is safe to convert: as given, or an equal one.

    The cost is one pass over the index arrays.

    Raises
    ------
    ValueError
        If a sparse matrix has invalid index arrays, or entries of an array are masked.
    """
    import scipy.sparse as sp  # slow to import, and not needed for learning

    is_sparse = bool(sp.issparse(given))
    refuse_masked(getattr(given, "data", None) if is_sparse else given)  # COO may drop the mask
    if not is_sparse or given.ndim != 2:  # other dimensions are rejected by the caller
        return given
    try:
        return _checked(given)
    except (ValueError, IndexError) as error:
        raise ValueError(INVALID.format(error)) from error


def _checked(matrix: Any) -> Any:
    """Return a sparse matrix with the same entries whose arrays SciPy has checked."""
    # SciPy 1.17 aborts the interpreter when it converts such rows.
    if matrix.format == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
        raise ValueError("a row has more column numbers than entries, or fewer")
    if matrix.format not in ("csr", "csc", "bsr"):
        coo = matrix.tocoo()  # follows no index
        return type(coo)((coo.data, _integers(*coo.coords)), shape=coo.shape)  # which checks it
    # A new object, because the check replaces arrays.
    indices = _integers(matrix.indices, matrix.indptr)
    matrix = type(matrix)((matrix.data, *indices), shape=matrix.shape)
    # SciPy does not look at the offsets of a matrix that ends with 0.
    if (np.diff(matrix.indptr) < 0).any():
        raise ValueError("indptr must be a non-decreasing sequence")
    matrix.check_format(full_check=True)
    return matrix


def _integers(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return arrays of indices; raise if SciPy would round them."""
    if any(array.dtype.kind not in "ui" for array in arrays):
        raise ValueError("indices must be integers")
    return arrays


def refuse_masked(given: Any) -> None:
    """Raise if entries of an array, or of one of the rows in a list, are masked."""
    rows = given if isinstance(given, list | tuple) else [given]
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
        raise ValueError(
            "the counts contain masked entries, and a masked count has no meaning here: replace "
            "them, as in counts.filled(0), or remove their documents"
        )


def _check_counts(indptr: NDArray[Any], counts: Floats) -> None:
    """Raise for the first document with a count that is not an integer >= 0."""
    whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))
    # Larger floats are integers too, but sums of them would be rounded.
    good = whole & (counts < MAX_LENGTH)
    if good.all():
        return
    entry = int(np.argmin(good))
    row = int(np.searchsorted(indptr, entry, side="right")) - 1
    raise ValueError(
        f"document {row} has the count {counts[entry]:g}; word counts must be integers from "
        f"0 to 2**53 - 1: remove the document or round its counts (tf-idf weights do not fit)"
    )


def _check_lengths(lengths: Floats) -> None:
    """Raise for the first document with more words than can be counted exactly."""
    if (too_long := lengths >= MAX_LENGTH).any():
        row = int(np.argmax(too_long))
        raise ValueError(
            f"document {row} has {lengths[row]:g} words; at most 2**53 - 1 can be counted: split it"
        )


def _as_ids(ids: Sequence[int] | ArrayLike, n_words: int, row: int) -> Ints:
    refuse_masked(ids)
    try:
        array = np.asarray(ids)
    except ValueError:  # raised by NumPy for ragged nested sequences
        array = np.zeros((1, 1))
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "ui":
        raise ValueError(f"document {row} must be a sequence of integer word ids, got {ids!r:.60}")
    if array.min() < 0 or array.max() >= n_words:
        bad = array[(array < 0) | (array >= n_words)][0]
        raise ValueError(
            f"document {row} has the word id {bad}, outside the vocabulary of {n_words} words "
            f"(ids 0 to {n_words - 1}); raise n_words or drop the word"
        )
    return array.astype(np.int64)


def number_words(words: WordIds, n_words: int) -> tuple[WordIds, Ints]:
    """Return inverse and unique of ``np.unique(words, return_inverse=True)``, without sorting."""
    # `bincount` and `take` are twice as fast as indexing by 32-bit integers.
    known, place = np.flatnonzero(np.bincount(words)), np.empty(n_words, np.int32)
    place[known] = np.arange(len(known))
    places = place.take(words)
    # Read-only, like the words of `Documents`: Numba compiles one kernel per array flag.
    places.setflags(write=False)
    return places, known


def sum_rows(indptr: Ints, counts: Floats) -> Floats:
    """``[counts[a:b].sum() for a, b in itertools.pairwise(indptr)]``."""
    sums = np.empty(len(indptr) - 1)
    set_sums(indptr, counts, sums)
    return sums


@in_place
def set_sums(indptr: Ints, counts: Floats, sums: Floats) -> None:
    """Set the sums of rows, see `sum_rows`."""
    for i in range(len(sums)):
        sums[i] = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            sums[i] += counts[j]


def gather(
    rows: Ints, starts: Ints, ends: Ints, words: WordIds, counts: Floats
) -> tuple[Ints, WordIds, Floats]:
    """Copy the ranges ``[starts[row], ends[row])`` into one CSR block.

    Equals ``np.concatenate([words[starts[row] : ends[row]] for row in rows])``, likewise for
    counts.
    """
    begins = starts[rows]
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(ends[rows] - begins, out=indptr[1:])
    out_words, out_counts = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    copy_stretches(begins, indptr, words, counts, out_words, out_counts)
    return indptr, out_words, out_counts


@in_place
def copy_stretches(
    begins: Ints,
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    out_words: WordIds,
    out_counts: Floats,
) -> None:
    """Fill row i of a CSR block with the entries that start at ``begins[i]``."""
    for i in range(len(begins)):
        start = begins[i]
        for j in range(indptr[i + 1] - indptr[i]):
            out_words[indptr[i] + j] = words[start + j]
            out_counts[indptr[i] + j] = counts[start + j]
