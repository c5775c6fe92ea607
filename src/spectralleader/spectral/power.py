"""The robust tensor power method (Algorithm 1, line 4)."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats

STILL = 1e-15  # a unit vector that moves less than this has converged


def random_starts(n_topics: int, n_restarts: int, seed: int) -> Floats:
    """Return standard normal starting directions, shape (K, n_restarts, K), the same for a seed."""
    return np.random.default_rng(seed).standard_normal((n_topics, n_restarts, n_topics))


def power_method(
    triples: Floats, starts: Floats, *, n_iterations: int = 30
) -> tuple[Floats, Floats]:
    """Decompose a symmetric tensor, ``T ~ sum_i lambda_i v_i (x) v_i (x) v_i``.

    For one component after the other: every start goes `n_iterations` times through
    ``theta <- T(I, theta, theta)``, normalised; the one with the largest ``T(theta, theta, theta)``
    as many times again; that value is lambda; ``T <- T - lambda theta^(x)3`` (Anandkumar et al.
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
    return _decompose(triples.copy(), np.ascontiguousarray(starts[:k, :, :k]), n_iterations)


@kernel
def _decompose(T: Floats, starts: Floats, n_iterations: int) -> tuple[Floats, Floats]:
    k = len(T)
    eigenvalues = np.zeros(k)
    eigenvectors = np.zeros((k, k))
    for i in range(k):
        best_value = -np.inf
        best = np.zeros(k)
        for start in starts[i]:
            theta = _iterate(T, start / np.sqrt((start * start).sum()), n_iterations)
            value = _value(T, theta)
            if value > best_value:
                best_value = value
                best = theta
        best = _iterate(T, best, n_iterations)
        eigenvalues[i] = _value(T, best)
        eigenvectors[i] = best
        for a in range(k):
            for b in range(k):
                for c in range(k):
                    T[a, b, c] -= eigenvalues[i] * best[a] * best[b] * best[c]
    return eigenvalues, eigenvectors


@kernel
def _iterate(T: Floats, theta: Floats, n_iterations: int) -> Floats:
    """``theta <- T(I, theta, theta) / ||.||``, until it stands still or n_iterations are done."""
    for _ in range(n_iterations):
        image = _contract(T, theta)
        norm = np.sqrt((image * image).sum())
        if norm == 0.0:
            break
        image /= norm
        moved = np.abs(image - theta).max()
        theta = image
        if moved < STILL:
            break
    return theta


@kernel
def _contract(T: Floats, theta: Floats) -> Floats:
    """``np.einsum("abc,b,c->a", T, theta, theta)``."""
    k = len(theta)
    image = np.zeros(k)
    for a in range(k):
        for b in range(k):
            inner = 0.0
            for c in range(k):
                inner += T[a, b, c] * theta[c]
            image[a] += inner * theta[b]
    return image


@kernel
def _value(T: Floats, theta: Floats) -> float:
    """``T(theta, theta, theta)``."""
    return float((_contract(T, theta) * theta).sum())
