"""Block Krylov iteration: the top eigenspace of a symmetric matrix given by its products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats

Product = Callable[[Floats], Floats]  # (d, b) -> (d, b)

TOLERANCE = 1e-6  # default residual at which a search stops
RANK = 1e-10  # a column with a smaller remainder after projection is linearly dependent
FIRST_LOOK = 3  # the first Rayleigh-Ritz is done when the space has this many times r columns
LEAST_RATE = 0.4  # assumed minimum gain per block, in decimal digits of the residual
MARGIN = 0.2  # blocks added to the prediction: a Rayleigh-Ritz costs more than a block
DEPENDENT = 1e-5  # Cholesky QR is not used for columns that are closer to dependence
CAREFUL = 5e-4  # columns with a smaller remainder, relative to the matrix, are reprojected
MOST = 0.5  # a unit vector with this remainder was orthogonal up to rounding
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

    The space of Z, AZ, A^2 Z, ... is searched for the best approximations (Rayleigh-Ritz), and is
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
        Number of eigenpairs to return, r.
    tolerance : float
        Residual, relative to the largest eigenvalue, at which to stop.
    max_products : int
        Maximum number of products.
    """
    if len(start) <= max(TINY, 2 * n_kept):
        # One product with the identity is the matrix itself.
        values, vectors = _largest(product(np.eye(len(start))), n_kept)
        return Subspace(vectors[:, ::-1].copy(), values[::-1], residual=0.0, n_products=1)
    search = _Search(product, start, n_kept)
    n_blocks = -(-FIRST_LOOK * n_kept // start.shape[1])
    while True:
        search.grow(n_blocks)
        residual = search.rayleigh_ritz(n_kept, n_wanted)
        if residual <= tolerance or search.n_products >= max_products:
            return Subspace(search.basis(), search.values, residual, search.n_products)
        # The residual only falls once the space has more columns than are kept.
        n_gaining = max(1.0, search.n_products - n_kept / search.block)
        # Convergence is about linear in digits per block: predict how many are still needed.
        rate = max(LEAST_RATE, -math.log10(residual) / n_gaining)
        n_blocks = math.ceil(math.log10(residual / tolerance) / rate + MARGIN)


class _Search:
    """A growing orthonormal basis S of a Krylov space, and the projection H of A on it.

    ``A S = S H + [0, next]``: only the image of the last block has a component outside the space.
    Ritz pairs and their residuals follow from H and `next`, and no images are stored.
    """

    def __init__(self, product: Product, start: Floats, n_kept: int) -> None:
        d, self.block = start.shape
        self.product = product
        # At least 4 r columns, so that a restart makes progress; at most 24 r, because
        # Rayleigh-Ritz is cubic in the columns.
        room = min(max(ROOM // d, 4 * n_kept), 24 * n_kept, d)
        self.rows = np.empty((room, d))  # S^T
        self.H = np.zeros((room, room))  # S^T A S, the upper triangle
        self.n, self.n_products = 0, 0
        self.size = 0.0  # the largest absolute entry of H so far
        self.next = np.array(start, order="C")  # block to add, orthogonal to the space
        self.values: Floats = np.zeros(0)  # Ritz pairs of the last look, (r,)
        self.vectors: Floats = np.zeros((0, 0))  # in the space, (n, r)
        self.rng = np.random.default_rng(0)  # for random replacements of dependent columns

    def grow(self, n_blocks: int) -> None:
        """Extend the space by n_blocks products, or until it is full."""
        for _ in range(min(n_blocks, self.room)):
            fresh = self._orthonormal()
            self.rows[self.n : self.n + self.block] = fresh.T
            self.next = self.product(fresh)
            self.n += self.block
            # Full orthogonalisation: three-term Lanczos lost it within 7 to 12 blocks.
            inside = self.rows[: self.n] @ self.next
            self.next -= self.rows[: self.n].T @ inside
            # The upper triangle suffices: `_largest` reads no more.
            self.H[: self.n, self.n - self.block : self.n] = inside
            self.size = max(self.size, float(np.abs(inside).max()))
            self.n_products += 1

    def _orthonormal(self) -> Floats:
        """Return an orthonormal basis of the next block, orthogonal to the space."""
        known = self.rows[: self.n].T
        block, left = orthonormal(self.next)
        enough = CAREFUL * self.size
        # Normalising a small remainder amplifies its rounding error inside the space: reproject.
        while 0.0 < left < enough:
            block, left = orthonormal(block - known @ (known.T @ block))
            enough = MOST
        return block if left > 0.0 else _completed(block, known, self.rng)

    @property
    def room(self) -> int:
        """Number of blocks that can be added before the space is full."""
        return int((len(self.rows) - self.n) // self.block)

    def rayleigh_ritz(self, n_kept: int, n_wanted: int) -> float:
        """Compute the largest Ritz pairs; return the largest residual of the wanted ones.

        If the space is full, restart it from these pairs.
        """
        n = self.n
        values, vectors = _largest(self.H[:n, :n], n_kept)
        self.values, self.vectors = values[::-1], vectors[:, ::-1]
        out = self.vectors[n - self.block :, :n_wanted]  # residuals are next @ out
        # Norms by the (b, b) Gram matrix of `next`: the (d, r) residuals are not formed.
        squares = (out * (self.next.T @ self.next @ out)).sum(axis=0)
        # The matrix can be 0, for documents of one word each.
        scale = max(float(np.abs(values).max()), float(np.finfo(float).tiny))
        # Thick restart: on the space of the Ritz vectors the matrix is diagonal.
        if self.room == 0:
            self.rows[:n_kept], self.H[:] = self.basis().T, 0.0
            self.H[range(n_kept), range(n_kept)] = self.values
            self.n, self.vectors = n_kept, np.eye(n_kept)
        return math.sqrt(max(float(squares.max()), 0.0)) / scale

    def basis(self) -> Floats:
        """Return the Ritz vectors of the last Rayleigh-Ritz, (d, r)."""
        return self.rows[: self.n].T @ self.vectors


def _largest(H: Floats, n_kept: int) -> tuple[Floats, Floats]:
    """Return the largest eigenpairs of a symmetric matrix, from its upper triangle, ascending."""
    # LAPACK's dsyevr, which computes only these, takes as long
    values, vectors = np.linalg.eigh(H, UPLO="U")
    return values[len(H) - n_kept :], vectors[:, len(H) - n_kept :]


def orthonormal(block: Floats) -> tuple[Floats, float]:
    """Return ``np.linalg.qr(block)[0]`` up to signs, and the smallest diagonal entry of R.

    Cholesky QR takes a quarter of the time, but loses accuracy for nearly dependent columns; if
    they are too close, the block is returned unchanged, with 0.
    """
    try:
        # The Gram matrix has the squared condition number, hence the limit DEPENDENT.
        L = np.linalg.cholesky(block.T @ block)
    except np.linalg.LinAlgError:
        return block, 0.0
    left = L.diagonal().tolist()
    # `not >` also rejects NaN.
    if not min(left) > DEPENDENT * max(left):
        return block, 0.0
    return block @ np.linalg.inv(L).T, min(left)


def _completed(block: Floats, known: Floats, rng: np.random.Generator) -> Floats:
    """Return an orthonormal block orthogonal to `known`, even if columns are dependent.

    Dependent columns, as few documents span few directions, are replaced by random ones.
    """
    n_passes = 0
    # Twice is enough: the second projection removes the rounding error of the first.
    while n_passes < 2:
        block = block - known @ (known.T @ block)
        block, R = np.linalg.qr(block)
        sizes = np.abs(np.diag(R))
        spanned = sizes <= RANK * max(sizes.max(), np.finfo(float).tiny)
        block[:, spanned] = rng.standard_normal((len(block), int(spanned.sum())))
        n_passes += not spanned.any()
    return np.asarray(block)
