"""Block Krylov iteration: the top eigenspace of a symmetric matrix given by its products.

SciPy's ``eigsh`` multiplies one vector at a time. Here a product is a pass over the
documents, perhaps on a cluster, and most searches are rough: blocks need a quarter of the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats

Product = Callable[[Floats], Floats]  # (d, b) -> (d, b)

TOLERANCE = 1e-6  # default residual at which a search stops
FIRST_LOOK = 3  # the first Rayleigh-Ritz is done when the space has this many times r columns
CAREFUL = 5e-4  # columns with a smaller remainder, relative to the matrix, are reprojected
NOISE = 1e-12  # random share of such columns: it takes the place of those that others span
ROOM = 2**22  # numbers in a search space before it is restarted: 32 MB
TINY = 48  # matrices up to this size are decomposed directly


class Subspace(NamedTuple):
    """Ritz vectors and values: the best approximations of the top eigenpairs in a space."""

    basis: Floats  # (d, r) orthonormal
    values: Floats  # (r,) largest first
    residual: float  # largest ||A q - value q|| of the wanted pairs, over the largest |value|
    n_products: int  # number of multiplied blocks


def top_subspace(
    product: Product,
    start: Floats,
    *,
    n_wanted: int,
    n_kept: int,
    tolerance: float = TOLERANCE,
    max_products: int = 40,
) -> Subspace:
    """Find the eigenspace of the algebraically largest eigenvalues, by block Krylov iterations.

    The space S of Z, AZ, A^2 Z, ... is searched for the best approximations (Rayleigh-Ritz), and is
    restarted from these when it becomes too large. Negative eigenvalues, which the pairs of few
    documents have, do not matter, however large they are.

    Parameters
    ----------
    product : callable
        Multiplies the matrix A with a (d, b) block.
    start : (d, b) array
        Starting block, usually random.
    n_wanted : int
        Number of eigenpairs that must be accurate.
    n_kept : int
        Number of eigenpairs to return, r >= b.
    tolerance : float
        Residual, relative to the largest eigenvalue, at which to stop.
    max_products : int
        Maximum number of products.
    """
    d, b = start.shape
    if d <= max(TINY, 2 * n_kept):
        # One product with the identity is the matrix itself.
        values, vectors = _largest(product(np.eye(d)), n_kept)
        return Subspace(vectors, values, residual=0.0, n_products=1)
    # At least 4 r columns, so that a restart makes progress; at most 24 r, because Rayleigh-Ritz is
    # cubic in the columns.
    room = min(max(ROOM // d, 4 * n_kept), 24 * n_kept, d)
    # A S = S H + [0, outside]: the image of the last block alone leaves the space, so that Ritz
    # pairs and residuals follow from H and `outside`, and no images are stored.
    rows, H, n = np.empty((room, d)), np.zeros((room, room)), 0  # S^T, the upper triangle of H
    outside, look = start, -(-FIRST_LOOK * n_kept // b)
    for n_products in range(1, max_products + 1):
        fresh = _orthonormal(outside, rows[:n], CAREFUL * np.abs(H[:n, :n]).max(initial=0.0))
        rows[n : n + b], outside, n = fresh.T, product(fresh), n + b
        # Full orthogonalisation: three-term Lanczos lost it within 7 to 12 blocks.
        inside = rows[:n] @ outside
        outside -= rows[:n].T @ inside
        H[:n, n - b : n] = inside
        is_full, is_last = n + b > room, n_products == max_products
        if not (n_products >= look or is_full or is_last):
            continue
        values, vectors = _largest(H[:n, :n], n_kept)
        # Norms by the (b, b) Gram matrix: the (d, r) residuals, outside @ out, are not formed.
        out = vectors[-b:, :n_wanted]
        square = float((out * (outside.T @ outside @ out)).sum(axis=0).max())
        # The matrix can be 0, for documents of one word each.
        scale = max(float(np.abs(values).max()), float(np.finfo(float).tiny))
        residual = math.sqrt(max(square, 0.0)) / scale
        if residual <= tolerance or is_last:
            break
        # Convergence is about linear in digits per product, once the space has more columns than
        # are kept: predict how many products are still needed.
        rate = -math.log(min(residual, 0.5)) / max(1.0, n_products - n_kept / b)
        look = n_products + min(math.log(residual / tolerance) / rate, n_products / 2)
        if is_full:  # thick restart: on the space of the Ritz vectors the matrix is diagonal
            rows[:n_kept], n = vectors.T @ rows[:n], n_kept
            H[:n, :n] = np.diag(values)
    return Subspace(rows[:n].T @ vectors, values, residual, n_products)


def _largest(H: Floats, n: int) -> tuple[Floats, Floats]:
    """Return the n largest eigenpairs of a symmetric matrix, from its upper triangle."""
    values, vectors = np.linalg.eigh(H, UPLO="U")
    return values[: -n - 1 : -1], vectors[:, : -n - 1 : -1]


def _orthonormal(block: Floats, rows: Floats, least: float) -> Floats:
    """Return an orthonormal basis of a block that is orthogonal to rows up to rounding.

    If less than `least` remains of a column, its rounding error is removed, too, and columns that
    others span, as those of few documents are, are replaced by random ones.
    """
    try:
        # Cholesky QR takes a quarter of the time of Householder's, but needs independent columns.
        L = np.linalg.cholesky(block.T @ block)
    except np.linalg.LinAlgError:
        L = np.zeros((1, 1))
    if L.diagonal().min() > least:
        return np.asarray(block @ np.linalg.inv(L).T)
    # Other noise for every block: that of an earlier one may be in the space already.
    noise = np.random.default_rng(len(rows)).standard_normal(block.shape)
    block = block / max(float(np.abs(block).max()), float(np.finfo(float).tiny)) + NOISE * noise
    for _ in range(2):  # the second time removes what rounding left of the first
        block = np.linalg.qr(block - rows.T @ (rows @ block))[0]
    return block
