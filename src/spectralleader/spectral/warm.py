"""The spectral method as one kernel, for estimates at every step, from a warm start.

The same as `cold`, up to rounding: whitening (Algorithm 1, lines 2 and 3) and recovery (line 5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import DocumentView
from spectralleader.models import TopicModel
from spectralleader.moments import Sums
from spectralleader.moments.projected import update_sums
from spectralleader.runtime.compiled import kernel
from spectralleader.spectral.cold import NOTHING, USABLE, measure_spectrum
from spectralleader.spectral.estimate import Estimate
from spectralleader.spectral.power import N_ITERATIONS, decompose_tensor


class Details(NamedTuple):
    """Output buffers of the kernel for the intermediate results of an estimate, see `Estimate`."""

    whitening: Floats  # W, (r, K)
    eigenvalues: Floats  # A, (K,)
    triples: Floats  # T, (K, K, K)
    tensor_eigenvalues: Floats
    tensor_eigenvectors: Floats
    clipped: Floats

    @classmethod
    def empty(cls, k: int, r: int) -> Details:
        """Return uninitialised buffers for k topics in r coordinates."""
        return cls(*map(np.empty, ((r, k), (k,), (k, k, k), (k,), (k, k), (k,))))

    def with_model(self, model: TopicModel, sums: Sums) -> Estimate:
        """Return the estimate of these sums, as a copy of the buffers."""
        W, A, T, eigenvalues, eigenvectors, clipped = (array.copy() for array in self)
        spectrum = measure_spectrum(sums)
        return Estimate(model, W, A, T, eigenvalues, eigenvectors, clipped, spectrum)


def warm_model(
    sums: Sums,
    moved: DocumentView,
    n_added: int,
    n_topics: int,
    directions: Floats,
    details: Details,
) -> TopicModel | None:
    """Update sums like `update_sums`, and return the model of `estimate` from a warm start.

    It runs the power method from these directions, with all steps in one kernel, which saves a
    third of the time at K = 5, d = 500. None if fewer topics can be estimated than directions.
    """
    weights, topics = np.empty(n_topics), np.empty((n_topics, len(sums.words)))
    # plain tuples: Numba looks up the type of a NamedTuple in Python, 2 us for each and call
    given = (tuple(sums), tuple(moved), n_added, directions, N_ITERATIONS)
    if not _update_and_estimate(*given, weights, topics, tuple(details)):
        return None
    return TopicModel.trusted(weights, topics)


@kernel
def _update_and_estimate(
    given_sums: tuple[Any, ...],
    given_moved: tuple[Any, ...],
    n_added: int,
    directions: Floats,
    n_iterations: int,
    weights: Floats,
    topics: Floats,
    buffers: tuple[Any, ...],
) -> bool:
    """Fill the arrays of an estimate; return False if there are fewer topics than directions."""
    sums, moved, details = Sums(*given_sums), DocumentView(*given_moved), Details(*buffers)
    if len(moved.bounds) > 0:
        update_sums(sums, moved, n_added)
    k = len(directions)
    W, A, T = whiten(sums, k)
    if len(A) < k:
        return False
    details.whitening[:], details.eigenvalues[:], details.triples[:] = W, A, T
    starts = (np.dot(directions, W) * A).reshape(k, 1, k)  # v from W v, since A W^T W v = v
    pairs = (details.tensor_eigenvalues, details.tensor_eigenvectors)
    # Deflates T in place; `details.triples` is a copy.
    decompose_tensor(T, starts, n_iterations, *pairs)
    details.clipped[:] = recover(sums, W, *pairs, weights, topics)
    return True


@kernel
def whiten(sums: Sums, n_topics: int) -> tuple[Floats, Floats, Floats]:
    """Return W and A of the n_topics largest eigenvalues that are positive, and T = M3(W, W, W).

    Columns of W are signed so that their largest entry is positive, which makes them independent of
    the solver; of entries that are equally large up to rounding, the first one counts.
    """
    r, n_pairs = sums.basis.shape[1], max(1.0, sums.n[2])
    pairs, row = np.empty((r, r)), 0
    for a in range(r):
        for b in range(a, r):
            pairs[a, b] = pairs[b, a] = sums.upper[row, r] / n_pairs
            row += 1
    values, vectors = np.linalg.eigh(pairs)  # in increasing order
    k = 0
    for i in range(min(n_topics, r)):
        k += values[r - 1 - i] > USABLE * max(values[r - 1], 0.0)
    W, A = np.empty((r, k)), values[r - k :][::-1].copy()
    for i in range(k):
        vector = vectors[:, r - 1 - i]
        first = np.argmax(np.abs(vector) > (1.0 - 1e-9) * np.abs(vector).max())
        W[:, i] = np.sign(vector[first]) / np.sqrt(A[i]) * vector
    return W, A, whiten_triples(sums, W)


@kernel
def whiten_triples(sums: Sums, W: Floats) -> Floats:
    """``einsum("abc,ai,bj,ck->ijk", triples, W, W, W) / n``, (k, k, k).

    The product is symmetrised rather than the sums: it is smaller.
    """
    r, k = W.shape
    last = np.zeros((r + 2, k))  # 0 for the pairs and their squares
    last[:r] = W / max(1.0, sums.n[3])
    # One axis at a time, O(r^3 k); the first while the other two are packed.
    once = np.dot(sums.upper, last)  # rows (a, b) with a <= b
    full, row = np.empty((r, r, k)), 0
    for a in range(r):
        for b in range(a, r):
            full[a, b] = full[b, a] = once[row]
            row += 1
    flipped = np.ascontiguousarray(W.T)
    twice = np.dot(flipped, full.reshape(r, r * k)).reshape(k, r, k)
    # BLAS needs the next axis in front, and contiguous.
    middle = np.empty((r, k, k))
    for i in range(k):
        for b in range(r):
            middle[b, i] = twice[i, b]
    thrice = np.dot(flipped, middle.reshape(r, k * k)).reshape(k, k, k)
    # Three permutations: the first two axes are symmetric already.
    T = np.empty((k, k, k))
    for i in range(k):
        for j in range(k):
            for m in range(k):
                T[i, j, m] = thrice[i, j, m] + thrice[i, m, j] + thrice[j, m, i]
    return T


@kernel
def recover(
    sums: Sums, W: Floats, lambdas: Floats, vectors: Floats, weights: Floats, topics: Floats
) -> Floats:
    """Set weights and topics of a valid model; return the mass clipped from each topic found.

    ``omega_i = 1 / lambda_i^2`` and ``u_i = lambda_i (W^T)^+ v_i`` with ``(W^T)^+ = M2 W`` (eq.
    10); then what the paper leaves open, see `complete`. A negative lambda flips with its v, which
    leaves u unchanged. A lambda of 0 means no topic: weight 0.
    """
    omega, v = np.zeros(len(lambdas)), vectors / max(1.0, sums.n[2])
    for i in range(len(lambdas)):
        if abs(lambdas[i]) > NOTHING:
            omega[i] = 1.0 / lambdas[i] ** 2
        v[i] *= lambdas[i]
    # Eq. 21, multiplied from the left: only the last product is over the d words.
    u = np.dot(np.dot(v, W.T), sums.image.T)
    unigram = smooth_words(sums.words, sums.n[0])
    share = background_share(len(weights), len(unigram), sums.n[0])
    return complete(omega, u, unigram, share, weights, topics)


@kernel
def complete(
    omega: Floats, u: Floats, unigram: Floats, share: float, weights: Floats, topics: Floats
) -> Floats:
    """Set weights and topics without impossible words; return the mass clipped from each u.

    A u that sums to a negative number is flipped; negative entries become 0, the rest is
    normalised, and mixed with `share` unigram. Missing topics (of no weight or no mass, or fewer
    than there are to set) get weight 0, the last places and the unigram distribution; if all are
    missing the model is the unigram model.
    """
    clipped, n_found = np.zeros(len(omega)), 0
    for i in range(len(omega)):
        size, total = 0.0, 0.0  # max(x, 0) is (x + |x|) / 2, which vectorises
        for w in range(len(unigram)):
            size += abs(u[i, w])
            total += u[i, w]
        # The larger of the positive and the negative mass is kept, flipped if it is negative.
        mass, clipped[i] = (size + abs(total)) / 2, (size - abs(total)) / 2
        if omega[i] > 0 and mass > NOTHING:
            weights[n_found] = min(omega[i], 1.0)
            scale = (1.0 - share) * (-1.0 if total < 0 else 1.0) / mass
            for w in range(len(unigram)):
                kept = scale * u[i, w]
                topics[n_found, w] = (kept + abs(kept)) / 2 + share * unigram[w]
            n_found += 1
    for i in range(n_found, len(weights)):
        # If no topic was found, the division below makes the weights equal.
        weights[i] = 0.0 if n_found > 0 else 1.0
        topics[i] = unigram
    weights /= weights.sum()
    return clipped


@kernel
def smooth_words(words: Floats, n_tokens: float) -> Floats:
    """Return the unigram distribution: word frequencies and one token's worth of uniform."""
    share = 1.0 / (1.0 + n_tokens)
    total = words.sum()
    if total == 0.0:
        return np.full(len(words), 1.0 / len(words))
    smoothed: Floats = words * ((1.0 - share) / total) + share / len(words)
    return smoothed


@kernel
def background_share(n_topics: int, n_words: int, n_tokens: float) -> float:
    """Return the share of unigram in each topic: free parameters against tokens seen (eq. 11).

    ``K (d - 1) / (K (d - 1) + n_tokens)``: all of it before anything is seen, none in the limit.
    """
    parameters = max(n_topics * (n_words - 1), 1)
    return parameters / (parameters + n_tokens)
