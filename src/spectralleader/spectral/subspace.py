"""The top eigenspace of a large symmetric matrix that is known only by its products."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from spectralleader.documents import Floats

Product = Callable[[Floats], Floats]  # (d, r) -> (d, r)

RANK = 1e-10  # a column with less than this left after projection is spanned by the others
STEP = 4  # blocks by which a Krylov space grows between two looks at how good it is
ROOM = 2**22  # numbers in a Krylov space, and in its image, before it is restarted: 32 MB each


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
    tolerance: float = 1e-7,
    max_products: int = 60,
) -> Subspace:
    """Find the eigenspace of the algebraically largest eigenvalues, by block Krylov iterations.

    From a block Z the space of Z, AZ, A^2 Z, ... is searched for the best approximations
    (Rayleigh-Ritz); a space that has grown too large is begun again from these. Negative
    eigenvalues, however large, do no harm: the pairs of few documents have many.

    Parameters
    ----------
    product : callable
        Multiplies the matrix A with a (d, r) block.
    start : (d, r) array
        Where to begin; the nearer to the top eigenspace, the fewer products.
    n_wanted : int
        How many eigenpairs must be accurate; the other r - n_wanted make them converge faster.
    tolerance : float
        Residual, relative to the largest eigenvalue, at which to stop.
    max_products : int
        Products at most.
    """
    d, r = start.shape
    depth = min(max(STEP, min(ROOM // (d * r), 3 * STEP)), d // r)  # blocks in a space
    rng = np.random.default_rng(0)  # for directions that must be made up; which ones is no matter
    basis = _orthonormal(start, start[:, :0], rng)
    space, images = [basis], [product(basis)]
    n_products = 1
    while True:
        n_products += _grow(product, space, images, min(len(space) + STEP, depth), rng)
        basis, image, values = _rayleigh_ritz(np.hstack(space), np.hstack(images), r)
        errors = np.linalg.norm(image - basis * values, axis=0)[:n_wanted]
        residual = float(errors.max() / max(np.abs(values).max(), np.finfo(float).tiny))
        if residual <= tolerance or n_products >= max_products:
            return Subspace(basis, values, residual, n_products)
        if len(space) == depth:
            space, images = [basis], [image]


def _grow(
    product: Product,
    space: list[Floats],
    images: list[Floats],
    depth: int,
    rng: np.random.Generator,
) -> int:
    """Add orthonormal blocks to a Krylov space Z, AZ, A^2 Z, ...; return how many."""
    n_before = len(space)
    while len(space) < depth:
        fresh = _orthonormal(images[-1], np.hstack(space), rng)
        space.append(fresh)
        images.append(product(fresh))
    return len(space) - n_before


def _rayleigh_ritz(space: Floats, images: Floats, r: int) -> tuple[Floats, Floats, Floats]:
    """Return the r largest Ritz vectors of the space, their images and values."""
    small = space.T @ images
    n = len(small)
    values, vectors = eigh((small + small.T) / 2, subset_by_index=[n - r, n - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    return space @ vectors, images @ vectors, values


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
