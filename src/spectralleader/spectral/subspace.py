"""The top eigenspace of a large symmetric matrix that is known only by its products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from spectralleader.compiled import kernel
from spectralleader.documents import Floats

Product = Callable[[Floats], Floats]  # (d, b) -> (d, b)

TOLERANCE = 2e-6  # residual at which a search stops, if nobody says
RANK = 1e-10  # a column with less than this left after projection is spanned by the others
FIRST_LOOK = 3  # how much larger than wanted a space must be for a look to be worth while
LEAST_RATE = 0.6  # decimals that a block adds, at least; looking costs as much as adding
DEPENDENT = 1e-5  # columns nearer to dependence than this are not for the Cholesky road
ROOM = 2**22  # numbers in a search space before it is restarted: 32 MB


class Subspace(NamedTuple):
    """Ritz vectors and values: the best that a search space knows of the top eigenpairs."""

    basis: Floats  # (d, r) orthonormal
    values: Floats  # (r,) largest first
    residual: float  # largest ||A q - value q|| of the wanted pairs, over the largest |value|
    n_products: int  # blocks that were multiplied


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

    From a block Z the space of Z, AZ, A^2 Z, ... is searched for the best approximations
    (Rayleigh-Ritz); a space that has grown too large is begun again from these. Negative
    eigenvalues, however large, do no harm: the pairs of few documents have many.

    Parameters
    ----------
    product : callable
        Multiplies the matrix A with a (d, b) block.
    start : (d, b) array
        Where to begin; the nearer to the top eigenspace, the fewer products.
    n_wanted : int
        How many eigenpairs must be accurate.
    n_kept : int
        How many to return, r; d must be at least 2 r.
    tolerance : float
        Residual, relative to the largest eigenvalue, at which to stop.
    max_products : int
        Products at most.
    """
    search = _Search(product, start, n_kept)
    n_blocks = -(-FIRST_LOOK * n_kept // start.shape[1])
    while True:
        has_grown = search.grow(n_blocks)
        residual = search.rayleigh_ritz(n_kept, n_wanted)
        if residual <= tolerance or search.n_products >= max_products or not has_grown:
            return Subspace(search.basis(), search.values, residual, search.n_products)
        rate = max(LEAST_RATE, -math.log10(residual) / search.n_products)
        n_blocks = math.ceil(math.log10(residual / tolerance) / rate)


class _Search:
    """A growing orthonormal basis S of a Krylov space, and what is known of A in it.

    ``A S = S H + [0, next]``: only the image of the block added last sticks out of the space, so
    Ritz pairs and their residuals are known from H and `next`, and no image need be kept.
    """

    def __init__(self, product: Product, start: Floats, n_kept: int) -> None:
        d, self.block = start.shape
        self.product = product
        room = min(max(ROOM // d, 4 * n_kept), 12 * n_kept, d)
        self.space = np.empty((d, room), order="F")  # columns are contiguous: they are added
        self.H = np.zeros((room, room))  # S^T A S, the upper triangle
        self.n, self.n_products = 0, 0
        self.next = start  # block to add, orthogonal to the space
        self.values: Floats = np.zeros(0)  # Ritz pairs of the last look, (r,)
        self.vectors: Floats = np.zeros((0, 0))  # in the space, (n, r)
        self.rng = np.random.default_rng(0)  # for directions that must be made up

    def grow(self, n_blocks: int) -> bool:
        """Add products of what was added last, until n_blocks are added or the space is full.

        Returns whether there was room for any.
        """
        n_before = self.n
        for _ in range(min(n_blocks, self.room)):
            columns = slice(self.n, self.n + self.block)
            fresh = _orthonormal(self.next, self.space[:, : self.n], self.rng)
            self.space[:, columns] = fresh
            image = self.product(fresh)
            self.n += self.block
            space = self.space[:, : self.n]
            self.H[: self.n, columns] = space.T @ image
            self.next = image - space @ self.H[: self.n, columns]
            self.n_products += 1
        return self.n > n_before

    @property
    def room(self) -> int:
        """Blocks that can be added before the space is full."""
        return int((self.space.shape[1] - self.n) // self.block)

    def rayleigh_ritz(self, n_kept: int, n_wanted: int) -> float:
        """Find the largest Ritz pairs; return the largest residual of the wanted ones.

        If the space is full, begin again from these pairs.
        """
        n = self.n
        values, vectors = _largest(self.H[:n, :n], n_kept)
        self.values, self.vectors = values[::-1], vectors[:, ::-1]
        out = self.vectors[n - self.block :, :n_wanted]  # next @ out sticks out of the space
        squares = (out * (self.next.T @ self.next @ out)).sum(axis=0)
        scale = max(float(np.abs(values).max()), float(np.finfo(float).tiny))
        if self.room == 0:
            self.space[:, :n_kept], self.H[:] = self.basis(), 0.0
            self.H[range(n_kept), range(n_kept)] = self.values
            self.n, self.vectors = n_kept, np.eye(n_kept)
        return math.sqrt(max(float(squares.max()), 0.0)) / scale

    def basis(self) -> Floats:
        """Return the Ritz vectors of the last look, (d, r)."""
        return self.space[:, : self.n] @ self.vectors


def _largest(H: Floats, n_kept: int) -> tuple[Floats, Floats]:
    """Return the largest eigenpairs of a symmetric matrix, given as its upper half, in order."""
    n = len(H)
    try:
        values, vectors = eigh(
            H, lower=False, subset_by_index=[n - n_kept, n - 1], check_finite=False
        )
    except np.linalg.LinAlgError:  # the search for a few can fail where many are equal
        values, vectors = np.linalg.eigh(H, UPLO="U")
        values, vectors = values[n - n_kept :], vectors[:, n - n_kept :]
    return np.asarray(values), np.asarray(vectors)


def _orthonormal(block: Floats, known: Floats, rng: np.random.Generator) -> Floats:
    """Return an orthonormal basis of the block's columns, orthogonal to the known ones.

    The block must be so already but for rounding.
    """
    columns = np.array(block, order="F")
    return columns if make_orthonormal(columns, known) else _completed(block, known, rng)


@kernel
def make_orthonormal(block: Floats, known: Floats) -> bool:
    """``block[:] = np.linalg.qr(block - known @ (known.T @ block))[0]``, but for signs.

    By Cholesky, ``block @ inv(chol(block.T @ block)).T``, twice, which is enough against rounding.
    Returns whether the columns are far enough from dependence for it; if not, the block is spoilt.
    """
    d, b = block.shape
    for n_passes in range(2):
        if n_passes > 0 and known.shape[1] > 0:
            block -= np.dot(known, np.dot(known.T, block))
        triangle = np.dot(block.T, block)
        if not cholesky(triangle):
            return False
        for i in range(b):
            for j in range(i):
                for w in range(d):
                    block[w, i] -= triangle[i, j] * block[w, j]
            for w in range(d):
                block[w, i] /= triangle[i, i]
    return True


@kernel
def cholesky(A: Floats) -> bool:
    """Do ``A[:] = np.linalg.cholesky(A)`` in the lower triangle; say if it is far from singular."""
    smallest, largest = np.inf, 0.0
    for i in range(len(A)):
        for j in range(i + 1):
            total = A[i, j]
            for m in range(j):
                total -= A[i, m] * A[j, m]
            if j < i:
                A[i, j] = total / A[j, j]
        if not total > 0.0:
            return False
        A[i, i] = np.sqrt(total)
        smallest, largest = min(smallest, A[i, i]), max(largest, A[i, i])
    return smallest > DEPENDENT * largest


def _completed(block: Floats, known: Floats, rng: np.random.Generator) -> Floats:
    """Do what `_orthonormal` does for a block whose columns may be dependent.

    Columns that are spanned already (few documents span few directions) give way to random ones.
    """
    n_passes = 0
    while n_passes < 2:
        block = block - known @ (known.T @ block)
        block, R = np.linalg.qr(block)
        sizes = np.abs(np.diag(R))
        spanned = sizes <= RANK * max(sizes.max(), np.finfo(float).tiny)
        block[:, spanned] = rng.standard_normal((len(block), int(spanned.sum())))
        n_passes += not spanned.any()
    return np.asarray(block)
