"""Validation of matrices of counts before SciPy, which trusts their structure, converts them.

SciPy's compiled code reads and writes wherever the index arrays of a sparse matrix point. An index
outside of the matrix is a crash at best, so that every matrix of a caller passes `check_matrix`
before any other method of it is called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

INVALID = "the sparse matrix is invalid: {}; check how its arrays were built"


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
