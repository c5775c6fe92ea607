"""Joint diagonalisation: an alternative to the tensor power method (Algorithm 1, line 4)."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import kernel

STILL = 1e-12  # a rotation by a smaller angle is not worth its time
MAX_SWEEPS = 100


def joint_diagonalisation(triples: Floats, starts: Floats) -> tuple[Floats, Floats]:
    """Decompose a symmetric tensor by making all its slices as diagonal as one rotation can.

    ``T(I, I, e_m) = V^T diag(.) V`` for all m at once, by Jacobi rotations (Cardoso and
    Souloumiac 1996): no random start, no deflation, and no order in which errors add up.

    Parameters
    ----------
    triples : (k, k, k) array
        The whitened triples, T.
    starts : array
        Not used: the same arguments as `power_method`.

    Returns
    -------
    eigenvalues : (k,) array
        lambda = T(v, v, v), largest first, none negative.
    eigenvectors : (k, k) array
        v, one per row, orthonormal.
    """
    V = diagonalise(triples.copy())
    contracted = triples @ V.T  # T(I, I, v) for each v, (k, k, k)
    eigenvalues = np.einsum("abi,ia,ib->i", contracted, V, V)
    order, signs = np.argsort(-np.abs(eigenvalues)), np.where(eigenvalues < 0, -1.0, 1.0)
    return np.abs(eigenvalues)[order], (signs[:, None] * V)[order]


@kernel
def diagonalise(A: Floats) -> Floats:
    """Return the rotation V that makes all slices ``V A[:, :, m] V^T`` most diagonal.

    A is rotated in place, sweep after sweep, until all rotations are small.
    """
    k = len(A)
    V = np.eye(k)
    for _ in range(MAX_SWEEPS):
        largest = 0.0
        for p in range(k - 1):
            for q in range(p + 1, k):
                angle = _angle(A, p, q)
                largest = max(largest, abs(angle))
                if abs(angle) > STILL:
                    _rotate(A, V, p, q, np.cos(angle), np.sin(angle))
        if largest <= STILL:
            break
    return V


@kernel
def _angle(A: Floats, p: int, q: int) -> float:
    """Return the angle by which the plane (p, q) must turn to leave the least off the diagonal."""
    on, off = 0.0, 0.0
    for m in range(len(A)):
        difference = A[p, p, m] - A[q, q, m]
        twice = 2.0 * A[p, q, m]
        on += difference * difference - twice * twice
        off += 2.0 * difference * twice
    return float(0.25 * np.arctan2(off, on))


@kernel
def _rotate(A: Floats, V: Floats, p: int, q: int, c: float, s: float) -> None:
    """Turn rows and columns p and q of every slice, and rows p and q of V."""
    for i in range(len(A)):
        V[p, i], V[q, i] = c * V[p, i] + s * V[q, i], c * V[q, i] - s * V[p, i]
        for m in range(len(A)):
            A[p, i, m], A[q, i, m] = (
                c * A[p, i, m] + s * A[q, i, m],
                c * A[q, i, m] - s * A[p, i, m],
            )
    for i in range(len(A)):
        for m in range(len(A)):
            A[i, p, m], A[i, q, m] = (
                c * A[i, p, m] + s * A[i, q, m],
                c * A[i, q, m] - s * A[i, p, m],
            )
