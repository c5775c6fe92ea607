"""All eigenpairs of a small symmetric matrix, without the overhead of a library call."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import kernel

ROUNDING = 2.0**-53  # an entry beside the diagonal that is smaller than this, relatively, is 0
MAX_TURNS = 60  # for one eigenvalue; two or three are usual


@kernel
def eigenpairs(matrix: Floats) -> tuple[Floats, Floats]:
    """``values, vectors = np.linalg.eigh(matrix); return values, vectors.T``, but in no order.

    Reflections make the matrix tridiagonal, turns make that diagonal (Golub and Van Loan, sections
    8.3.1 and 8.3.3: Householder, and QL with implicit shifts).
    """
    A, V = matrix.copy(), np.eye(len(matrix))
    beside = _reflect(A, V)
    values = np.diag(A).copy()
    _turn(values, beside, V)
    return values, V


@kernel
def _reflect(A: Floats, V: Floats) -> Floats:
    """Make A tridiagonal in place, reflecting the rows of V alike; return what is beside it.

    Reflection k leaves of row k nothing but the entry beside the diagonal:
    ``H = I - v v^T / half``, ``A <- H A H``, ``V <- H V``.
    """
    n = len(A)
    v, w, beside = np.zeros(n), np.zeros(n), np.zeros(n)
    for k in range(n - 1):
        square = 0.0
        for i in range(k + 1, n):
            v[i] = A[k, i]
            square += v[i] * v[i]
        beside[k] = -np.copysign(np.sqrt(square), v[k + 1])
        half = square - beside[k] * v[k + 1]  # ||v||^2 / 2
        v[k + 1] -= beside[k]
        if half == 0.0:
            continue
        inner = 0.0
        for i in range(k + 1, n):
            total = 0.0
            for j in range(k + 1, n):
                total += A[i, j] * v[j]
            w[i] = total / half
            inner += w[i] * v[i]
        for i in range(k + 1, n):
            w[i] -= inner / (2.0 * half) * v[i]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= v[i] * w[j] + w[i] * v[j]
        w[:] = 0.0
        for i in range(k + 1, n):
            for j in range(n):
                w[j] += v[i] * V[i, j]
        for i in range(k + 1, n):
            scaled = v[i] / half
            for j in range(n):
                V[i, j] -= scaled * w[j]
    return beside


@kernel
def _turn(values: Floats, beside: Floats, V: Floats) -> None:
    """Make a tridiagonal matrix diagonal in place, turning the rows of V alike."""
    n = len(values)
    for first in range(n):
        for _ in range(MAX_TURNS):
            last = first  # of the part that holds together
            while last < n - 1 and abs(beside[last]) > ROUNDING * (
                abs(values[last]) + abs(values[last + 1])
            ):
                last += 1
            if last == first:
                break
            _chase(values, beside, V, first, last)


@kernel
def _chase(values: Floats, beside: Floats, V: Floats, first: int, last: int) -> None:
    """Shift by the eigenvalue of the first two that is nearer, and turn from the last row up."""
    ratio = (values[first + 1] - values[first]) / (2.0 * beside[first])
    root = np.copysign(np.sqrt(ratio * ratio + 1.0), ratio)
    g = values[last] - values[first] + beside[first] / (ratio + root)
    s, c, moved = 1.0, 1.0, 0.0
    for i in range(last - 1, first - 1, -1):
        f, b = s * beside[i], c * beside[i]
        size = np.sqrt(f * f + g * g)
        beside[i + 1] = size
        if size == 0.0:  # it falls apart here
            values[i + 1] -= moved
            beside[last] = 0.0
            return
        s, c = f / size, g / size
        g = values[i + 1] - moved
        turned = (values[i] - g) * s + 2.0 * c * b
        moved = s * turned
        values[i + 1] = g + moved
        g = c * turned - b
        for j in range(V.shape[1]):
            upper, lower = V[i, j], V[i + 1, j]
            V[i + 1, j] = s * upper + c * lower
            V[i, j] = c * upper - s * lower
    values[first] -= moved
    beside[first] = g
    beside[last] = 0.0
