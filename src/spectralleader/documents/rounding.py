"""Counts in the matrices of other libraries: fractions are rounded, tf-idf weights rejected."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp


def are_normalised(counts: Any) -> bool:
    """Return whether all rows that are not empty have an L1 norm of 1, or all an L2 norm of 1.

    Other fractional values may be meant as counts: scikit-learn's own checks use such data.
    """
    # The method, because `*` of a SciPy matrix, unlike that of an array, multiplies matrices.
    squares = counts.multiply(counts) if bool(sp.issparse(counts)) else counts * counts
    for norms in (counts.sum(axis=1), squares.sum(axis=1)):
        norms = np.asarray(norms, np.float64).ravel()
        norms = norms[norms > 0.0]
        if np.allclose(norms, 1.0, rtol=0.0, atol=1e-5):  # float32 rounds at 1e-7 per word
            return True
    return False


def as_whole(counts: Any) -> Any:
    """Return counts rounded to integers, with a warning; raise for tf-idf weights."""
    if counts.dtype.kind != "f":
        return counts
    is_sparse = bool(sp.issparse(counts))
    values = counts.data if is_sparse else counts
    whole = np.rint(values)
    if np.array_equal(values, whole):
        return counts
    if are_normalised(counts):
        raise ValueError(
            "the rows are normalised to length 1, like tf-idf weights or relative frequencies, "
            "but the model requires word counts; use CountVectorizer instead of TfidfVectorizer, "
            "or HashingVectorizer(norm=None, alternate_sign=False)"
        )
    warnings.warn(
        "word counts must be integers: fractions were rounded; use CountVectorizer, not "
        "TfidfVectorizer",
        stacklevel=4,
    )
    if not is_sparse:
        return whole
    return sp.csr_array((whole, counts.indices, counts.indptr), shape=counts.shape)
