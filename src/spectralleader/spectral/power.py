"""The robust tensor power method (Algorithm 1, line 4)."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.runtime.compiled import inlined, kernel, shared

N_RESTARTS = 10  # random starts per component, see method.md
N_ITERATIONS = 30  # of every start; only the best one then continues until it converges
REFINE = 30  # the best start may take this many times n_iterations to converge
TIE = 1e-9  # starts whose values differ by less are ties, and the first one is taken
STILL = 1e-13  # a unit vector that moves less has converged
NEAR = 1e-2  # try Newton steps once an iteration moves theta by less than this,
REACH = 10.0  # if the first Newton step is at most this many times as long: iterations are slow
FELL = 1e-12  # a relative decrease of the value below this is rounding
SQUARED = 1e-8  # Newton's error is about the square of the step: a shorter step is the last


def random_starts(n_topics: int, n_restarts: int, seed: int) -> Floats:
    """Return standard normal starting directions, shape (K, n_restarts, K)."""
    return np.random.default_rng(seed).standard_normal((n_topics, n_restarts, n_topics))


def power_method(
    triples: Floats, starts: Floats, *, n_iterations: int = N_ITERATIONS
) -> tuple[Floats, Floats]:
    """Decompose a symmetric tensor, ``T ~ sum_i lambda_i v_i (x) v_i (x) v_i``.

    For each component, every start is iterated `n_iterations` times by ``theta <- T(I, theta,
    theta)``, normalised, and the one with the largest ``T(theta, theta, theta)`` to convergence.
    That value is lambda, and ``T <- T - lambda theta^(x)3`` (Anandkumar et al. 2014, Algorithm 1).
    Close to a fixed point, Newton steps replace the slower iterations.

    Parameters
    ----------
    triples : (k, k, k) array
        The whitened triples, T.
    starts : (K, n_restarts, K) array
        Starting directions of each component; the first k x n_restarts x k are used.
    n_iterations : int
        Maximum number of iterations per start.

    Returns
    -------
    eigenvalues : (k,) array
        lambda, in the order found.
    eigenvectors : (k, k) array
        v, one per row.
    """
    k = len(triples)
    T, starts = triples.copy(), np.ascontiguousarray(starts[:k, :, :k])
    eigenvalues, eigenvectors = np.zeros(k), np.zeros((k, k))
    decompose_tensor(T, starts, n_iterations, eigenvalues, eigenvectors)
    return eigenvalues, eigenvectors


@kernel
def decompose_tensor(
    T: Floats, starts: Floats, n_iterations: int, eigenvalues: Floats, eigenvectors: Floats
) -> None:
    """Find the components of T, (k, k, k), deflating it, from starts of (k, n, k)."""
    k, n_tried = len(T), starts.shape[1] if starts.shape[1] > 1 else 0
    theta, work = np.empty(k), np.empty((2 * k + 2, k))
    for i in range(k):
        best, best_value = eigenvectors[i], -1e300
        # The last round iterates the best start; in this loop, `_iterate` is inlined only once.
        for s in range(n_tried + 1):
            is_last = s == n_tried
            start, square = best if is_last and s > 0 else starts[i, s], 0.0
            for a in range(k):
                theta[a] = start[a]
            for a in range(k):  # a loop of its own, see `compiled.kernel`
                square += start[a] * start[a]
            norm = 1.0 if is_last and s > 0 else np.sqrt(square)
            for a in range(k):
                theta[a] /= norm
                best[a] = theta[a] if s == 0 else best[a]
            # A warm start, which is a single one, is not damped: on headlines it then ended in
            # another maximum than that of all restarts, with a recovery error 80 times as large.
            most = REFINE * n_iterations if is_last else n_iterations
            value = _iterate(T, theta, work, most, is_last and s > 0)
            if is_last or value > best_value + TIE * abs(best_value):
                best_value = value
                for a in range(k):
                    best[a] = theta[a]
        eigenvalues[i] = best_value
        # Nothing reads the tensor after the last component.
        if i < k - 1:
            _deflate(T, best_value, best)


@inlined
def _iterate(
    T: Floats,
    theta: Floats,
    work: Floats,
    n_iterations: int,
    damped: bool,  # noqa: FBT001  # kernels have no keyword arguments
) -> float:
    """``theta <- T(I, theta, theta) / ||.||`` in place; returns ``T(theta, theta, theta)``.

    Stops when theta stands still or n_iterations are done. Once the value falls, theta circles a
    maximum of a noisy tensor; if `damped`, steps are then to ``T(I, theta, theta) + ||T|| theta``,
    which makes every maximum attract.
    """
    k = len(theta)
    M, B, image, step = work[:k], work[k : 2 * k], work[2 * k], work[2 * k + 1]
    value = _contract(T, theta, M, image)
    moved, reach, still, shift = _reach(image, theta, step), REACH, STILL, 0.0
    for _ in range(n_iterations):
        # Newton's method converges quadratically. If a step is not less than half of the one
        # before, power iterations continue.
        if moved < NEAR and _newton_step(M, image, theta, value, B, step) < reach * moved:
            reach, still = 0.5, SQUARED  # of the step before
        else:
            for a in range(k):
                step[a] = image[a] + shift * theta[a]
            reach, still = REACH, STILL
        moved = _reach(step, theta, step)
        # T(I, theta, theta) is 0: deflation has left nothing in this direction.
        if moved == np.inf:
            break
        for a in range(k):
            theta[a] = step[a]
        last, value = value, _contract(T, theta, M, image)
        if moved < still:
            break
        # Damping starts once, and stays (method.md, below eq. 9).
        if damped and shift == 0.0 and value < last - FELL * abs(last):
            for a in range(k):
                for b in range(k):
                    for c in range(k):
                        shift += T[a, b, c] * T[a, b, c]
            shift = np.sqrt(shift)
    return value


@inlined
def _reach(step: Floats, theta: Floats, unit: Floats) -> float:
    """Do ``unit[:] = step / ||step||``; return how far it is from theta, infinity if it is 0."""
    square = 0.0
    for a in range(len(step)):
        square += step[a] * step[a]
    if square == 0.0:
        return np.inf
    far, scale = 0.0, 1.0 / np.sqrt(square)
    for a in range(len(step)):
        unit[a] = scale * step[a]
        far = max(far, abs(unit[a] - theta[a]))
    return far


@shared
def _contract(T: Floats, theta: Floats, M: Floats, image: Floats) -> float:
    """``M[:] = T(I, I, theta); image[:] = M @ theta``; returns ``theta @ image``."""
    k = len(theta)
    for a in range(k):
        # T is symmetric: about k^3 / 2 multiplications.
        for b in range(a + 1):
            total = 0.0
            for c in range(k):
                total += T[a, b, c] * theta[c]
            M[a, b] = M[b, a] = total
    value = 0.0
    for a in range(k):
        total = 0.0
        for b in range(k):
            total += M[a, b] * theta[b]
        image[a] = total
        value += total * theta[a]
    return value


@inlined
def _newton_step(
    M: Floats, image: Floats, theta: Floats, value: float, B: Floats, step: Floats
) -> float:
    """Set step to where Newton's method for the largest ``T(v, v, v)`` on the sphere goes.

    ``step[:] = theta + inv(B) @ r`` with ``r = image - value theta``, which is 0 where theta stands
    still, and ``B = value I - 2 M + 2 (theta r^T + r theta^T + value theta theta^T)``. Where B is
    positive definite the power iterations go to the same place, but slowly. Returns the largest
    entry of ``inv(B) @ r``, or infinity where B is not.
    """
    k = len(theta)
    for a in range(k):
        step[a] = image[a] - value * theta[a]
    for a in range(k):
        x, y = 2.0 * theta[a], 2.0 * (step[a] + value * theta[a])
        for b in range(a + 1):
            B[a, b] = x * step[b] + y * theta[b] - 2.0 * M[a, b]
        B[a, a] += value
    if not _solve_definite(B, step):
        return np.inf
    largest = 0.0
    for a in range(k):
        largest = max(largest, abs(step[a]))
        step[a] += theta[a]
    return largest


@inlined
def _solve_definite(B: Floats, x: Floats) -> bool:
    """``x[:] = np.linalg.solve(B, x)``, by Cholesky from the lower triangle, overwriting it.

    Returns whether B is positive definite; if not, x is spoilt.
    """
    k = len(x)
    for a in range(k):
        for b in range(a):
            total = B[a, b]
            for c in range(b):
                total -= B[a, c] * B[b, c]
            B[a, b] = total * B[b, b]  # on the diagonal is one over what Cholesky's has
        square, y = B[a, a], x[a]
        for c in range(a):
            square -= B[a, c] * B[a, c]
            y -= B[a, c] * x[c]
        if not square > 0.0:
            return False
        B[a, a] = 1.0 / np.sqrt(square)
        x[a] = y * B[a, a]
    for a in range(k - 1, -1, -1):
        x[a] *= B[a, a]
        for c in range(a):
            x[c] -= B[a, c] * x[a]
    return True


@inlined
def _deflate(T: Floats, value: float, vector: Floats) -> None:
    """``T -= value * vector (x) vector (x) vector``, in place."""
    k = len(vector)
    for a in range(k):
        for b in range(k):
            both = value * vector[a] * vector[b]
            for c in range(k):
                T[a, b, c] -= both * vector[c]
