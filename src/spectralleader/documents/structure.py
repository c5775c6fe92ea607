"""Validation of matrices of counts before SciPy, which trusts their structure, converts them.

SciPy's compiled code reads and writes wherever the index arrays of a sparse matrix point. An index
outside of the matrix is a crash at best, so that every matrix of a caller passes `check_matrix`
before any other method of it is called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

REPAIR = "check how its arrays were built"


def check_matrix(given: Any) -> Any:
    """Return a matrix of counts that is safe to convert: as given, or in the form COO.

    The cost is one pass over the index arrays.

    Raises
    ------
    ValueError
        If a sparse matrix has invalid index arrays, or entries of an array are masked.
    """
    import scipy.sparse as sp  # slow to import, and not needed for learning

    if not sp.issparse(given):
        refuse_masked(given)
        return given
    return check_sparse(given)


def check_sparse(given: Any) -> Any:
    """Return a sparse matrix that is safe to convert, see `check_matrix`."""
    refuse_masked(getattr(given, "data", None))  # the conversion to COO may drop the mask
    if given.ndim != 2:
        return given  # rejected by the caller
    if given.format in ("csr", "csc"):
        n_rows, n_columns = given.shape if given.format == "csr" else given.shape[::-1]
        check_compressed(given, n_rows, n_columns)
        return given
    if given.format == "bsr":
        height, width = given.data.shape[1:] if given.data.ndim == 3 else (0, 0)
        if not (height and width) or given.shape[0] % height or given.shape[1] % width:
            raise ValueError(f"the sparse matrix is invalid: its blocks do not fit; {REPAIR}")
        check_compressed(given, given.shape[0] // height, given.shape[1] // width)
        return given
    if given.format == "lil" and [*map(len, given.rows)] != [*map(len, given.data)]:
        raise ValueError(
            f"the sparse matrix is invalid: a row has more column numbers than entries, or fewer; "
            f"{REPAIR}"
        )
    # The conversion of the other formats (DIA, DOK, LIL) follows no index; what it returns is
    # checked like a COO matrix of the caller.
    coo = given.tocoo()
    for name, indices, n in (("row", coo.row, coo.shape[0]), ("column", coo.col, coo.shape[1])):
        check_integers(f"{name} numbers", indices)
        if len(indices) != len(coo.data):
            raise ValueError(
                f"the sparse matrix is invalid: it has {len(indices)} {name} numbers for "
                f"{len(coo.data)} entries; {REPAIR}"
            )
        check_range(indices, n, name)
    return coo


def check_compressed(matrix: Any, n_major: int, n_minor: int) -> None:
    """Raise unless the arrays of a CSR, CSC or BSR matrix describe `n_major` rows (or columns)."""
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    check_integers("indptr", indptr)
    check_integers("indices", indices)
    fault = None
    if len(indptr) != n_major + 1:
        fault = f"indptr must have {n_major + 1} entries, got {len(indptr)}"
    elif indptr[0] != 0:
        fault = f"indptr must start with 0, got {indptr[0]}"
    elif (falls := indptr[1:] < indptr[:-1]).any():
        i = int(np.argmax(falls))
        fault = f"indptr must not decrease, got {indptr[i]} before {indptr[i + 1]} at {i + 1}"
    elif len(indices) != len(data):
        fault = f"there are {len(indices)} indices for {len(data)} entries"
    elif indptr[-1] > len(indices):
        fault = f"indptr ends with {indptr[-1]}, but there are {len(indices)} entries"
    if fault is not None:
        raise ValueError(f"the sparse matrix is invalid: {fault}; {REPAIR}")
    minor = {"csr": "column", "csc": "row", "bsr": "block column"}[matrix.format]
    # SciPy ignores entries after the end of the last row.
    check_range(indices[: indptr[-1]], n_minor, minor)


def check_integers(name: str, indices: NDArray[Any]) -> None:
    """Raise unless index arrays are one-dimensional and of integers."""
    if indices.ndim != 1 or indices.dtype.kind not in "ui":
        raise ValueError(
            f"the sparse matrix is invalid: its {name} must be a vector of integers, got an array "
            f"of shape {indices.shape} and dtype {indices.dtype}; {REPAIR}"
        )


def check_range(indices: NDArray[Any], n: int, what: str) -> None:
    """Raise for the first index that is not from 0 to n - 1."""
    if not len(indices) or (indices.min() >= 0 and indices.max() < n):
        return
    bad = indices[(indices < 0) | (indices >= n)][0]
    raise ValueError(
        f"the sparse matrix is invalid: its indices contain the {what} {bad}, outside of its {n} "
        f"{what}s; {REPAIR}"
    )


def refuse_masked(given: Any) -> None:
    """Raise if entries of an array, or of one of the rows in a list, are masked."""
    rows = given if isinstance(given, list | tuple) else [given]
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
        raise ValueError(
            "the counts contain masked entries, and a masked count has no meaning here: replace "
            "them, as in counts.filled(0), or remove their documents"
        )
