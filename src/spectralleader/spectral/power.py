"""The robust tensor power method (Algorithm 1, line 4)."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats

REFINE = 30  # the best start may go on this many times longer, if it has not converged
TIE = 1e-9  # starts whose values differ by less found the same: the first of them is taken
STILL = 1e-13  # a unit vector that moves less than this has converged


def random_starts(n_topics: int, n_restarts: int, seed: int) -> Floats:
    """Return standard normal starting directions, shape (K, n_restarts, K), the same for a seed."""
    return np.random.default_rng(seed).standard_normal((n_topics, n_restarts, n_topics))


def power_method(
    triples: Floats, starts: Floats, *, n_iterations: int = 30
) -> tuple[Floats, Floats]:
    """Decompose a symmetric tensor, ``T ~ sum_i lambda_i v_i (x) v_i (x) v_i``.

    For one component after the other: every start goes `n_iterations` times through
    ``theta <- T(I, theta, theta)``, normalised; the one with the largest ``T(theta, theta, theta)``
    until it stands still; that value is lambda; ``T <- T - lambda theta^(x)3`` (Anandkumar et al.
    2014, Algorithm 1).

    Parameters
    ----------
    triples : (k, k, k) array
        The whitened triples, T.
    starts : (K, n_restarts, K) array
        Directions to start from for each component; the first k x n_restarts x k are used.
    n_iterations : int
        Iterations at most; one that no longer moves stops early.

    Returns
    -------
    eigenvalues : (k,) array
        lambda, in the order found.
    eigenvectors : (k, k) array
        v, one a row.
    """
    k = len(triples)
    return decompose(triples.copy(), np.ascontiguousarray(starts[:k, :, :k]), n_iterations)


@kernel
def decompose(T: Floats, starts: Floats, n_iterations: int) -> tuple[Floats, Floats]:
    """Decompose T, (k, k, k), deflating it in place, from starts of shape (k, n, k)."""
    k = len(T)
    eigenvalues = np.zeros(k)
    eigenvectors = np.zeros((k, k))
    theta, image = np.empty(k), np.empty(k)
    for i in range(k):
        best = eigenvectors[i]
        best_value = -1e300
        for start in starts[i]:
            theta[:] = start / np.sqrt((start * start).sum())
            value = _iterate(T, theta, image, n_iterations)
            if value > best_value + TIE * abs(best_value):
                best_value = value
                best[:] = theta
        eigenvalues[i] = _iterate(T, best, image, REFINE * n_iterations)
        _deflate(T, eigenvalues[i], best)
    return eigenvalues, eigenvectors


@kernel
def _iterate(T: Floats, theta: Floats, image: Floats, n_iterations: int) -> float:
    """``theta <- T(I, theta, theta) / ||.||`` in place; returns ``T(theta, theta, theta)``.

    Stops when theta stands still or n_iterations are done.
    """
    _contract(T, theta, image)
    for _ in range(n_iterations):
        norm = np.sqrt((image * image).sum())
        if norm == 0.0:
            break
        moved = 0.0
        for a in range(len(theta)):
            next_a = image[a] / norm
            moved = max(moved, abs(next_a - theta[a]))
            theta[a] = next_a
        _contract(T, theta, image)
        if moved < STILL:
            break
    return float((image * theta).sum())


@kernel
def _contract(T: Floats, theta: Floats, image: Floats) -> None:
    """``image[:] = np.einsum("abc,b,c->a", T, theta, theta)``."""
    k = len(theta)
    for a in range(k):
        total = 0.0
        for b in range(k):
            inner = 0.0
            for c in range(k):
                inner += T[a, b, c] * theta[c]
            total += inner * theta[b]
        image[a] = total


@kernel
def _deflate(T: Floats, value: float, vector: Floats) -> None:
    """``T -= value * vector (x) vector (x) vector``, in place."""
    k = len(vector)
    for a in range(k):
        for b in range(k):
            both = value * vector[a] * vector[b]
            for c in range(k):
                T[a, b, c] -= both * vector[c]
