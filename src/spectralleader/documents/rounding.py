"""Counts in the matrices of other libraries: fractions are rounded, tf-idf weights rejected."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp


def are_normalised(counts: Any) -> bool:
    """Return whether every row that is not empty has an L1 or L2 norm of 1.

    What else is fractional may be meant as counts: scikit-learn's own checks feed such numbers.
    """
    for norms in (counts.sum(axis=1), squared(counts).sum(axis=1)):
        norms = np.asarray(norms, np.float64).ravel()
        norms = norms[norms > 0.0]
        if np.allclose(norms, 1.0, rtol=0.0, atol=1e-5):  # float32 rounds at 1e-7 per word
            return True
    return False


def squared(counts: Any) -> Any:
    """Return the squares of a dense or sparse matrix: `*` is another product for `csr_matrix`."""
    is_sparse = bool(sp.issparse(counts))
    return counts.multiply(counts) if is_sparse else counts * counts


def as_whole(counts: Any) -> Any:
    """Return counts rounded to integers, with a warning if any was not; refuse tf-idf weights."""
    if counts.dtype.kind != "f":
        return counts
    is_sparse = bool(sp.issparse(counts))
    values = counts.data if is_sparse else counts
    whole = np.rint(values)
    if np.array_equal(values, whole):
        return counts
    if are_normalised(counts):
        raise ValueError(
            "the rows are normalised to length 1, as tf-idf weights and relative frequencies are, "
            "but the model is one of word counts; use CountVectorizer instead of TfidfVectorizer, "
            "or HashingVectorizer(norm=None, alternate_sign=False)"
        )
    warnings.warn(
        "counts of words must be integers: fractions were rounded; use CountVectorizer, not "
        "TfidfVectorizer",
        stacklevel=4,
    )
    if not is_sparse:
        return whole
    return sp.csr_array((whole, counts.indices, counts.indptr), shape=counts.shape)
