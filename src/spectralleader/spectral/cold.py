"""Lines 2, 3 and 5 of Algorithm 1 in NumPy, for estimates from a cold start.

The kernels in `warm` pay off if a model is estimated at every step, but take twelve seconds to
compile. Cold estimates are rare, so that a millisecond more does not matter here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.models import TopicModel
from spectralleader.moments import Sums
from spectralleader.moments.sums import upper_rows

USABLE = 1e-10  # an eigenvalue this small beside the largest is rounding, not signal
NOTHING = 1e-12  # a lambda or a topic's mass below this carries no topic
N_ROUGH = 10  # iterations per restart; losses on development streams are the same as with 30
TINY = 1e-300
# The noise level of eigenvalues from n documents is sqrt(log(n) / DOUBT) times their noise: below 2
# on the first documents, where a topic missed costs as much as one invented, and growing, so that
# noise is not mistaken for a topic for ever. L2 on the hard problem is flat from 2.3 to 4.
DOUBT = 3.0


class Spectrum(NamedTuple):
    """The eigenvalues of the pairs in a basis, largest first."""

    values: Floats  # (r,)
    vectors: Floats  # (r, r), one per column
    noise: Floats  # (r,) the noise level of each: one that is not above it can be noise (eq. 8c)

    @property
    def noise_rank(self) -> int:
        """Number of eigenvalues before the first one that can be noise.

        It is at most K + 3, the size of the basis, unless the basis spans all words.
        """
        values, rank = self.values.tolist(), 0
        # Plain numbers: there are few, and every call of NumPy takes a microsecond.
        for value, noise in zip(values, self.noise.tolist(), strict=True):
            if value <= max(noise, USABLE * values[0], 0.0):
                break
            rank += 1
        return rank

    @property
    def gaps(self) -> Floats:
        """Each eigenvalue less the next one, (r - 1,)."""
        return np.asarray(-np.diff(self.values))


def measure_spectrum(sums: Sums) -> Spectrum:
    """Return the eigenvalues of the mean pairs, with their noise levels."""
    n, r = max(1.0, float(sums.n[2])), sums.basis.shape[1]
    pairs, squares = (sums.upper[upper_rows(r), column] for column in (r, r + 1))
    values, vectors = np.linalg.eigh(pairs / n)
    A, U = values[::-1], vectors[:, ::-1]
    # Eq. 8b: the mean squared norm of a document's pairs times u, less that of the mean, A u.
    variances = np.einsum("ak,ak->k", squares @ U, U) / n - A * A
    return Spectrum(A, U, np.sqrt(np.maximum(variances, 0.0) * (math.log(n) / (DOUBT * n))))


def whiten(sums: Sums, found: Spectrum, n_topics: int) -> tuple[Floats, Floats, Floats]:
    """Return W, A and T = M3(W, W, W), like the kernel `warm.whiten`."""
    A, U = found.values[:n_topics], found.vectors[:, :n_topics]
    usable = USABLE * found.values.max(initial=0.0) < A
    A, U = A[usable].copy(), U[:, usable]
    # Ties up to rounding go to the first entry, see `warm.whiten`.
    is_largest = np.abs(U) > (1.0 - 1e-9) * np.abs(U).max(axis=0, initial=0.0)
    first = is_largest.argmax(axis=0) if U.size else np.zeros(0, np.int64)
    W = np.ascontiguousarray(U * (np.sign(U[first, np.arange(len(A))]) / np.sqrt(A)))
    return W, A, whiten_triples(sums, W)


def whiten_triples(sums: Sums, W: Floats) -> Floats:
    """Return the whitened triples, (k, k, k), as the kernel of that name does."""
    r, k = W.shape
    # Symmetrised after whitening, when the tensor is smaller.
    once = sums.upper[:, :r] @ (W / max(1.0, sums.n[3]))
    full = once[upper_rows(r)]
    twice = (W.T @ full.reshape(r, r * k)).reshape(k, r, k).transpose(1, 0, 2)
    thrice = (W.T @ twice.reshape(r, k * k)).reshape(k, k, k)
    return np.asarray(thrice + thrice.transpose(0, 2, 1) + thrice.transpose(2, 0, 1))


def decompose_roughly(triples: Floats, starts: Floats) -> tuple[Floats, Floats]:
    """Decompose a tensor like `power_method`, without iterating the best start to convergence.

    All restarts of a component are iterated together. The accuracy suffices to start EM.
    """
    k, T = len(triples), triples.copy()
    eigenvalues, eigenvectors = np.zeros(k), np.zeros((k, k))
    for i in range(k):
        theta = image = starts[i, :, :k]
        # The first round only normalises the starts.
        for _ in range(N_ROUGH + 1):
            # After full deflation the image is 0; TINY avoids 0 / 0.
            theta = image / (np.sqrt(np.einsum("na,na->n", image, image)) + TINY)[:, None]
            # T(I, theta, theta) of all restarts is one matrix product, since T is symmetric.
            squares = (theta[:, :, None] * theta[:, None, :]).reshape(len(theta), k * k)
            image = squares @ T.reshape(k * k, k)
        values = np.einsum("na,na->n", theta, image)
        best = values.argmax()
        eigenvalues[i], eigenvectors[i] = values[best], theta[best]
        T -= values[best] * squares[best].reshape(k, k, 1) * theta[best]
    return eigenvalues, eigenvectors


def recover(
    sums: Sums, W: Floats, lambdas: Floats, vectors: Floats, weights: Floats, topics: Floats
) -> Floats:
    """Set weights and topics of a valid model, like the kernel `warm.recover`."""
    n_topics, d = topics.shape
    # Eq. 21, multiplied from the left: only the last product is over the d words.
    u = (lambdas[:, None] * vectors / max(1.0, sums.n[2])) @ W.T @ sums.image.T
    unigram = word_frequencies(sums)
    # Eq. 11; a vocabulary of one word has no free parameters.
    n_free = max(n_topics * (d - 1), 1)
    background = n_free / (n_free + sums.n[0])
    size, total = np.abs(u).sum(axis=1), u.sum(axis=1)
    # The larger of the positive and the negative mass is kept, with its sign flipped if necessary,
    # and the smaller one is clipped.
    mass, clipped = (size + np.abs(total)) / 2, (size - np.abs(total)) / 2
    found = np.flatnonzero((np.abs(lambdas) > NOTHING) & (mass > NOTHING))
    weights[:] = 0.0 if len(found) else 1.0
    weights[: len(found)] = np.minimum(1.0 / lambdas[found] ** 2, 1.0)
    weights /= weights.sum()
    scales = (1.0 - background) * np.where(total < 0, -1.0, 1.0)[found] / mass[found]
    topics[:] = unigram
    topics[: len(found)] = np.maximum(scales[:, None] * u[found], 0.0) + background * unigram
    return np.asarray(clipped)


def word_frequencies(sums: Sums) -> Floats:
    """Return the unigram distribution, (d,)."""
    # One token's worth of the uniform distribution, so that no word has probability 0.
    share, total, d = 1.0 / (1.0 + sums.n[0]), sums.words.sum(), len(sums.words)
    if not total:
        return np.full(d, 1.0 / d)
    return np.asarray((1.0 - share) / total * sums.words + share / d)


def unigram_model(sums: Sums, n_topics: int) -> TopicModel:
    """Return the model of word frequencies: one topic, and none of the others."""
    weights = np.zeros(n_topics)
    weights[0] = 1.0
    return TopicModel.trusted(weights, np.tile(word_frequencies(sums), (n_topics, 1)))
