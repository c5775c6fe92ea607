"""The top eigenspace of a large symmetric matrix that is known only by its products."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from spectralleader.documents import Floats

Product = Callable[[Floats], Floats]  # (d, b) -> (d, b)

RANK = 1e-10  # a column with less than this left after projection is spanned by the others
ROOM = 2**22  # numbers in a search space before it is restarted: 32 MB, and its image as much


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
    tolerance: float = 1e-5,
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
    n_columns = 8 * n_kept  # how large the space must be for a look to be worth while
    while True:
        has_grown = search.grow(n_columns)
        found = search.rayleigh_ritz(n_kept, n_wanted)
        if found.residual <= tolerance or found.n_products >= max_products or not has_grown:
            return found
        n_columns += 2 * n_kept


class _Search:
    """A growing orthonormal basis S of a Krylov space, and its image A S."""

    def __init__(self, product: Product, start: Floats, n_kept: int) -> None:
        d, self.block = start.shape
        self.product = product
        room = min(max(ROOM // d, 4 * n_kept), 12 * n_kept, d)
        self.space = np.empty((d, room), order="F")  # columns are contiguous: they are added
        self.image = np.empty((d, room), order="F")
        self.n, self.n_products = 0, 0
        self.next = start  # block to add
        self.rng = np.random.default_rng(0)  # for directions that must be made up

    def grow(self, n_columns: int) -> bool:
        """Add products of what was added last, until the space has n_columns or is full.

        Returns whether there was room for any.
        """
        n_before, room = self.n, self.space.shape[1]
        while self.n < n_columns and self.n + self.block <= room:
            columns = slice(self.n, self.n + self.block)
            fresh = _orthonormal(self.next, self.space[:, : self.n], self.rng)
            self.space[:, columns] = fresh
            self.image[:, columns] = self.product(fresh)
            self.next = self.image[:, columns]
            self.n += self.block
            self.n_products += 1
        return self.n > n_before

    def rayleigh_ritz(self, n_kept: int, n_wanted: int) -> Subspace:
        """Return the largest Ritz pairs; if the space is full, begin again from these."""
        space, image = self.space[:, : self.n], self.image[:, : self.n]
        small = space.T @ image
        values, vectors = eigh((small + small.T) / 2, subset_by_index=[self.n - n_kept, self.n - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        basis, basis_image = space @ vectors, image @ vectors
        errors = basis_image - basis * values  # (d, r)
        if self.n + self.block > self.space.shape[1]:
            self.space[:, :n_kept], self.image[:, :n_kept] = basis, basis_image
            self.n, self.next = n_kept, errors[:, : self.block]
        largest = float(np.linalg.norm(errors[:, :n_wanted], axis=0).max())
        scale = max(float(np.abs(values).max()), float(np.finfo(float).tiny))
        return Subspace(basis, values, largest / scale, self.n_products)


def _orthonormal(block: Floats, known: Floats, rng: np.random.Generator) -> Floats:
    """Return an orthonormal basis of the block's columns, orthogonal to the known ones.

    Columns that are spanned already (few documents span few directions) give way to random ones.
    """
    n_passes = 0
    while n_passes < 2:  # twice is enough against rounding
        block = block - known @ (known.T @ block)
        block, R = np.linalg.qr(block)
        sizes = np.abs(np.diag(R))
        spanned = sizes <= RANK * max(sizes.max(), np.finfo(float).tiny)
        block[:, spanned] = rng.standard_normal((len(block), int(spanned.sum())))
        n_passes += not spanned.any()
    return np.asarray(block)
